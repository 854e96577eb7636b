package io.lowkiq.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * The figures of README and of the page with all figures are those of one file, which the
 * suite writes. To show the file's figures again without measuring:
 * {@code mvn -Pverification -pl :lowkiq-benchmarks -am test -Dtest=FiguresTests -Dlowkiq.docs.update=true}.
 */
class FiguresTests {

	private static final Documentation DOCUMENTATION = new Documentation(
			Path.of("").toAbsolutePath().getParent().getParent());

	private final Recording recording = Recording.read(DOCUMENTATION.file());

	@BeforeAll
	static void update() {
		if (Boolean.getBoolean("lowkiq.docs.update")) {
			DOCUMENTATION.show();
		}
	}

	@Test
	void everyFigureOfThePageIsThatOfTheFile() {
		assertThat(DOCUMENTATION.all().figures()).isEqualTo(FiguresPage.block(new Report(this.recording).text()));
	}

	@Test
	void everyFigureOfTheReadmeIsThatOfTheFile() {
		assertThat(DOCUMENTATION.headlines().figures())
			.isEqualTo(FiguresPage.block(new Headlines(this.recording).text()));
	}

	@Test
	void pageShowsEveryGoalThatWasMissed() {
		List<String> missed = Goals.all()
			.stream()
			.filter((goal) -> goal.value(this.recording.results()).isPresent())
			.filter((goal) -> !goal.isReached(goal.value(this.recording.results()).orElseThrow()))
			.map(Goal::text)
			.toList();
		List<String> rows = DOCUMENTATION.all().figures().lines().filter((line) -> line.endsWith("| no |")).toList();
		assertThat(missed).allSatisfy((goal) -> assertThat(rows).anyMatch((row) -> row.contains(goal)));
	}

	@Test
	void fileIsReadAsItWasWritten(@TempDir Path folder) {
		Results results = new Results();
		Results.Line line = new Results.Line("classic", "Lowkiq, batch 1", Phase.PERFORM);
		results.add(line, Figure.RATE, 3, 1.5, 2);
		Recording written = new Recording("Today.", results);
		written.writeTo(folder.resolve("figures.tsv"));
		Recording read = Recording.read(folder.resolve("figures.tsv"));
		assertThat(read.origin()).isEqualTo("Today.");
		assertThat(read.results().lines()).containsExactly(line);
		assertThat(read.results().values(line, Figure.RATE)).containsExactly(1.5, 2, 3);
	}

	@Test
	void lineWithoutAValueIsRefused(@TempDir Path folder) throws IOException {
		Path file = folder.resolve("figures.tsv");
		Files.writeString(file, "Today.\nclassic\tLowkiq\tPERFORM\tRATE\n");
		assertThatIllegalArgumentException().isThrownBy(() -> Recording.read(file)).withMessageContaining("classic");
	}

}
