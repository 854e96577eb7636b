package io.lowkiq.dashboard.http;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests of {@link Page}. */
class PageTests {

	private static final Path ASSETS = Path.of("src/main/resources/io/lowkiq/dashboard/page/assets");

	@Test
	void everyFileIsServed() throws IOException {
		Page page = new Page();
		try (Stream<Path> files = Files.walk(ASSETS)) {
			List<String> names = files.filter(Files::isRegularFile)
				.map((file) -> ASSETS.relativize(file).toString())
				.toList();
			assertThat(names).contains("app.js", "outbox.js")
				.allSatisfy((name) -> assertThat(page.asset(name)).isPresent());
		}
	}

}
