package io.lowkiq.dashboard.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import io.lowkiq.dashboard.cluster.Found.Kind;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Each kind of problem has its section in the operations guide, and each section its
 * problem.
 */
class HelpTests {

	/** What no line of the page is about. */
	private static final Set<String> OTHERS = Set.of("order-42-doesnt-run", "a-job-is-done", "one-id-at-a-time",
			"enqueue-hangs");

	@Test
	void eachKindOfProblemHasItsSection() throws IOException {
		Set<String> anchors = Arrays.stream(Kind.values())
			.map(Kind::help)
			.collect(Collectors.toCollection(TreeSet::new));
		Set<String> sections = sections();
		assertThat(sections).containsAll(anchors).containsAll(OTHERS);
		sections.removeAll(anchors);
		sections.removeAll(OTHERS);
		assertThat(sections).isEmpty();
	}

	private static Set<String> sections() throws IOException {
		List<String> lines = Files.readAllLines(Path.of("..", "docs", "operations.md"));
		int first = lines.indexOf("## Troubleshooting");
		int last = lines.indexOf("## Alerts");
		assertThat(first).isPositive().isLessThan(last);
		return lines.subList(first, last)
			.stream()
			.filter((line) -> line.startsWith("### "))
			.map((line) -> line.substring(4)
				.toLowerCase(Locale.ROOT)
				.replaceAll("[^\\p{L}\\p{N} _-]", "")
				.replace(' ', '-'))
			.collect(Collectors.toCollection(TreeSet::new));
	}

}
