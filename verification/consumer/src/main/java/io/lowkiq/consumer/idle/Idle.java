package io.lowkiq.consumer.idle;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * Starts an application, lets it idle, and prints what it costs, as a line of fields
 * separated by tabs: threads besides the performing ones, loaded classes, beans, KiB of
 * memory, milliseconds of CPU time until it was ready and until the end, names of the
 * threads. Linux only.
 */
public final class Idle {

	private Idle() {
	}

	/**
	 * Runs it.
	 * @param arguments the class of the application, how many seconds it idles, and
	 * properties such as {@code --spring.data.redis.port=6379}
	 * @throws Exception if it fails
	 */
	public static void main(String[] arguments) throws Exception {
		String[] properties = Arrays.copyOfRange(arguments, 2, arguments.length);
		ConfigurableApplicationContext context = new SpringApplication(Class.forName(arguments[0])).run(properties);
		// An application with Redis has a connection
		context.getBean(StringRedisTemplate.class).opsForValue().get("greeting");
		long ready = cpuMillis();
		Thread.sleep(Duration.ofSeconds(Long.parseLong(arguments[1])).toMillis());
		long end = cpuMillis();
		long memory = memory();
		int beans = context.getBeanDefinitionCount();
		Set<String> threads = Thread.getAllStackTraces()
			.keySet()
			.stream()
			.map(Thread::getName)
			.filter((name) -> !name.startsWith("lowkiq-perform-"))
			.collect(Collectors.toCollection(TreeSet::new));
		int classes = ManagementFactory.getClassLoadingMXBean().getLoadedClassCount();
		System.out.printf(Locale.ROOT, "COST\t%d\t%d\t%d\t%d\t%d\t%d\t%s%n", threads.size(), classes, beans, memory,
				ready, end, String.join(", ", threads));
		context.close();
		System.exit(0);
	}

	private static long cpuMillis() {
		return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO).toMillis();
	}

	private static long memory() throws IOException {
		return Files.readAllLines(Path.of("/proc/self/status"))
			.stream()
			.filter((line) -> line.startsWith("VmRSS:"))
			.mapToLong((line) -> Long.parseLong(line.replaceAll("\\D", "")))
			.findFirst()
			.orElseThrow();
	}

}
