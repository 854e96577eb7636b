package io.lowkiq.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Temporary directories under {@code target}. */
final class TestDirectories {

	private TestDirectories() {
	}

	static Path create(String prefix) {
		try {
			Path parent = Files.createDirectories(Path.of("target", "redis").toAbsolutePath());
			return Files.createTempDirectory(parent, prefix);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	static void delete(Path directory) {
		if (!Files.exists(directory)) {
			return;
		}
		try (Stream<Path> files = Files.walk(directory)) {
			List<Path> deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
			for (Path file : deepestFirst) {
				Files.deleteIfExists(file);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
