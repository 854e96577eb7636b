package io.lowkiq.consumer.idle;

import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;

import io.lowkiq.JobRequest;
import io.lowkiq.LowkiqClient;
import io.lowkiq.LowkiqWorker;
import io.lowkiq.Worker;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Fills a queue, or performs its jobs in the first seconds of a JVM, and prints, as a
 * line of fields separated by tabs: milliseconds from the start of the JVM until the
 * first job was performed, the number of jobs until the end, milliseconds of CPU time.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class FirstSeconds {

	private static final int CHUNK = 1_000;

	/**
	 * Runs it.
	 * @param arguments {@code fill} and the number of jobs, or {@code perform} and the
	 * number of seconds since the start of the JVM; properties such as
	 * {@code --spring.data.redis.port=6379}
	 * @throws InterruptedException if it is interrupted
	 */
	public static void main(String[] arguments) throws InterruptedException {
		String[] properties = Arrays.copyOfRange(arguments, 2, arguments.length);
		ConfigurableApplicationContext context = new SpringApplication(FirstSeconds.class).run(properties);
		int number = Integer.parseInt(arguments[1]);
		if (arguments[0].equals("fill")) {
			fill(context.getBean(LowkiqClient.class), number);
		}
		else {
			Thread.sleep(Math.max(0, TimeUnit.SECONDS.toMillis(number) - sinceStart()));
			System.out.printf(Locale.ROOT, "FIRST\t%d\t%d\t%d%n", Mails.first, Mails.PERFORMED.sum(),
					ProcessHandle.current().info().totalCpuDuration().orElseThrow().toMillis());
		}
		// What an AOT cache needs is written at the exit
		context.close();
		System.exit(0);
	}

	private static void fill(LowkiqClient client, int jobs) {
		for (int chunk = 0; chunk < jobs; chunk += CHUNK) {
			client.enqueueAll(Mails.class,
					IntStream.range(chunk, chunk + CHUNK)
						.mapToObj((number) -> JobRequest.of("mail-" + number, new Mail("Order " + number)))
						.toList());
		}
	}

	private static long sinceStart() {
		return System.currentTimeMillis() - ManagementFactory.getRuntimeMXBean().getStartTime();
	}

	@LowkiqWorker(queue = "mails")
	static class Mails implements Worker<Mail> {

		static final LongAdder PERFORMED = new LongAdder();

		/** Written by the first run, read when all have had their time. */
		static volatile long first;

		@Override
		public void perform(String id, List<Mail> mails) {
			if (first == 0) {
				first = sinceStart();
			}
			PERFORMED.increment();
		}

	}

	/** A mail to send. */
	record Mail(String subject) {
	}

}
