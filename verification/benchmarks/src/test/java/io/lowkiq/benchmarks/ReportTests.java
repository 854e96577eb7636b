package io.lowkiq.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * The report compares the peers with Lowkiq, and replaces the figures between its marks
 * only.
 */
class ReportTests {

	private final Results results = new Results();

	private void classic(String who, int jobsPerSecond) {
		Measurement measurement = new Measurement(jobsPerSecond);
		measurement.mark("process", sample(0));
		measurement.mark("processed", sample(1_000_000_000));
		this.results.add(
				new Trial("classic", who, List.of(), Map.of(), Optional.empty(), Storage.Kind.REDIS, jobsPerSecond),
				measurement);
	}

	private static Sample sample(long nanos) {
		return new Sample(nanos, 0, 0, new Storage.Usage(0, 0, 0, 0));
	}

	private String text() {
		return new Report(new Recording("Today.", this.results)).text();
	}

	@Test
	void peersStandBesideLowkiq() {
		classic("Lowkiq, batch 10", 9000);
		classic("Lowkiq, batch 1", 8000);
		classic("rqueue", 200);
		classic("BullMQ (concurrency 50)", 12_000);
		assertThat(text()).contains("""
				| who | perform, jobs/s |
				| --- | --- |
				| Lowkiq | 8,000 |
				| rqueue | 200 (÷ 40) |
				| BullMQ (concurrency 50) | 12,000 (× 1.5) |
				""");
	}

	@Test
	void withoutPeersNothingIsCompared() {
		classic("Lowkiq, batch 1", 8000);
		assertThat(text()).doesNotContain("| Lowkiq |").contains("| Lowkiq, batch 1 |");
	}

	@Test
	void onlyWhatStandsBetweenTheMarksIsReplaced(@TempDir Path folder) throws IOException {
		Path page = folder.resolve("page.md");
		Files.writeString(page, """
				before
				<!-- figures: begin -->
				old
				<!-- figures: end -->
				after
				""");
		classic("Lowkiq, batch 1", 8000);
		new FiguresPage(page).write(text());
		assertThat(page).content()
			.startsWith("before\n<!-- figures: begin -->\n\nToday.\n")
			.endsWith("<!-- figures: end -->\nafter\n")
			.doesNotContain("old");
	}

	@Test
	void pageWithoutMarksIsRefused(@TempDir Path folder) throws IOException {
		Path page = folder.resolve("page.md");
		Files.writeString(page, "nothing\n");
		assertThatIllegalStateException().isThrownBy(() -> new FiguresPage(page).write("new"))
			.withMessageContaining("No marks");
		assertThat(page).hasContent("nothing");
	}

}
