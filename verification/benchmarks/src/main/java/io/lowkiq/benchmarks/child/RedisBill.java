package io.lowkiq.benchmarks.child;

import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestRedis;
import org.awaitility.Awaitility;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static java.nio.charset.StandardCharsets.US_ASCII;

/**
 * Counts what a million jobs of 100 bytes cost a Redis that is billed by use: requests,
 * commands inside scripts, bytes, and CPU time. An ECPU is a request, or its kilobytes,
 * or its CPU time as a multiple of that of a small {@code SET}, whichever is most.
 */
public final class RedisBill {

	private static final int SECONDS_TO_CALM_DOWN = 20;

	private static final int IDLE_SECONDS = 60;

	private final RedisProcess redis;

	private final int jobs;

	private final LettuceConnectionFactory factory;

	private final LongAdder performed = new LongAdder();

	/** Microseconds of CPU time of a small command. */
	private double small;

	private RedisBill(RedisProcess redis, int jobs) {
		this.redis = redis;
		this.jobs = jobs;
		this.factory = TestRedis.connectionFactory(redis.url());
	}

	/** Counts, and prints a line for each kind of work. */
	public static void main(String[] arguments) {
		try (RedisProcess redis = TestRedis.startPrivate()) {
			new RedisBill(redis, Integer.parseInt(arguments[0])).print();
		}
		System.exit(0);
	}

	private void print() {
		IntConsumer set = this::set;
		IntStream.range(0, this.jobs).forEach(set);
		RedisUse before = use();
		IntStream.range(0, this.jobs).forEach(set);
		this.small = use().since(before).micros() / (double) this.jobs;
		System.out.printf(Locale.ROOT, "A small SET takes %.1f us of CPU time%n", this.small);
		try (Application application = application()) {
			perform(application, () -> Jobs.enqueue(application, 0, this.jobs, Jobs::hundredBytes));
			line("enqueue, one by one", () -> each((i) -> enqueue(application, i, "")));
			line("one more payload, one by one", () -> each((i) -> enqueue(application, i, "more")));
			line("perform these, of 2 payloads each", () -> perform(application, () -> {
			}));
			line("enqueue, 1,000 a call and shard", () -> Jobs.enqueue(application, 0, this.jobs, Jobs::hundredBytes));
			line("perform these", () -> perform(application, () -> {
			}));
			application.start();
			long first = this.performed.sum();
			line("enqueue and perform, one at a time", () -> each((i) -> {
				enqueue(application, i, "");
				awaitPerformed(first + i + 1);
			}));
			Pause.millis(1_000L * SECONDS_TO_CALM_DOWN);
			RedisUse beforeIdle = use();
			Pause.millis(1_000L * IDLE_SECONDS);
			RedisUse idle = use().since(beforeIdle);
			System.out.printf(Locale.ROOT, "an idle node, in an hour: %,d requests, %,d commands, %,d kB%n",
					idle.calls() * 3_600 / IDLE_SECONDS, idle.commands() * 3_600 / IDLE_SECONDS,
					(idle.bytesIn() + idle.bytesOut()) * 3_600 / IDLE_SECONDS / 1_000);
		}
		this.factory.destroy();
	}

	private Application application() {
		return new Application(Parameters.of("redis=" + this.redis.url()),
				(id, payloads) -> this.performed.increment());
	}

	private void each(IntConsumer job) {
		IntStream.range(0, this.jobs).forEach(job);
	}

	private void set(int number) {
		try (RedisConnection connection = this.factory.getConnection()) {
			connection.stringCommands().set("bill".getBytes(US_ASCII), Jobs.hundredBytes(number).getBytes(US_ASCII));
		}
	}

	private static void enqueue(Application application, int number, String suffix) {
		application.client()
			.enqueue(application.queue(0), Integer.toString(number), Jobs.hundredBytes(number) + suffix);
	}

	private void perform(Application application, Runnable enqueue) {
		enqueue.run();
		long first = this.performed.sum();
		application.start();
		awaitPerformed(first + this.jobs);
		application.stop();
	}

	private void awaitPerformed(long count) {
		Awaitility.await().pollInterval(Duration.ofMillis(1)).until(() -> this.performed.sum() >= count);
	}

	private RedisUse use() {
		return RedisUse.of(this.factory);
	}

	private void line(String what, Runnable work) {
		RedisUse before = use();
		work.run();
		RedisUse used = use().since(before);
		double kilobytes = (used.bytesIn() + used.bytesOut()) / 1e3;
		double units = Math.max((double) used.calls(), Math.max(kilobytes, used.micros() / this.small));
		double million = 1e6 / this.jobs;
		System.out.printf(
				"%s: %,.0f requests, %,.0f commands in all, %,.0f MB, %.1f s of CPU time, %.2f million ECPU%n", what,
				used.calls() * million, used.commands() * million, kilobytes * million / 1e3,
				used.micros() * million / 1e6, units * million / 1e6);
	}

}
