package io.lowkiq.benchmarks.child;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The parameters of a child, given by its arguments, each as {@code name=value}. Of
 * several with the same name the last one holds.
 *
 */
record Parameters(Map<String, String> values) {

	static Parameters of(String... arguments) {
		return new Parameters(Arrays.stream(arguments)
			.map((argument) -> argument.split("=", 2))
			.collect(Collectors.toMap((pair) -> pair[0], (pair) -> pair[1], (earlier, last) -> last)));
	}

	int number(String name, int otherwise) {
		return Optional.ofNullable(this.values.get(name)).map(Integer::valueOf).orElse(otherwise);
	}

	boolean flag(String name) {
		return Boolean.parseBoolean(this.values.getOrDefault(name, "false"));
	}

	/** The number of jobs. */
	int jobs() {
		return number("jobs", 100_000);
	}

	/** The Redis to use. */
	String redisUrl() {
		return Optional.ofNullable(this.values.get("redis"))
			.or(() -> Optional.ofNullable(System.getenv("REDIS_URL")))
			.orElse("redis://127.0.0.1:6379");
	}

}
