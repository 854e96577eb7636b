package io.lowkiq.snippets;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks that {@code docs/operations.md} explains every alert, and
 * {@code docs/appendix/log-lines.md} every line of the log from WARN on.
 */
class OperationsPageTests {

	private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

	private static final List<String> UNPUBLISHED = List.of("lowkiq-testing");

	private static final Pattern CALL = Pattern.compile("\\b(?:logger|log)\\s*\\.\\s*(?:warn|error)\\(",
			Pattern.CASE_INSENSITIVE);

	private static final Pattern LITERAL = Pattern.compile("\\G\\s*\"((?:[^\"\\\\]|\\\\.)*)\"\\s*\\+?");

	private static final Pattern ALERT = Pattern.compile("- alert: (\\w+)");

	@ParameterizedTest
	@MethodSource("sources")
	void everyWarningAndErrorIsExplained(Path source) throws IOException {
		String page = page("appendix/log-lines.md");
		String code = Files.readString(source);
		assertThat(code).as("only warn() and error() are found by this test")
			.doesNotContain("logger.at", "Level.WARN", "Level.ERROR");
		Matcher calls = CALL.matcher(code);
		while (calls.find()) {
			String line = line(code, calls.end());
			String logger = source.getFileName().toString().replace(".java", "");
			assertThat(page.contains("`" + logger + "`")).as("the logger of '%s' is on the page", line).isTrue();
			// A line that is made elsewhere is listed by hand
			if (line.chars().filter(Character::isLetter).count() > 0) {
				assertThat(page.contains("`" + line + "`")).as("'%s' of %s is on the page", line, logger).isTrue();
			}
		}
	}

	@Test
	void everyAlertIsExplained() throws IOException {
		String page = page("operations.md");
		Matcher alerts = ALERT.matcher(Files.readString(ROOT.resolve("docs/monitoring/prometheus.yml")));
		while (alerts.find()) {
			assertThat(page.contains("| `" + alerts.group(1) + "` |")).as(alerts.group(1)).isTrue();
		}
	}

	@Test
	void linesOfSeveralLiteralsAreFound() {
		assertThat(line("logger.warn(\"one {}, \"\n\t+ \"two \\\"{}\\\"\", a, \"b\");", "logger.warn(".length()))
			.isEqualTo("one …, two \"…\"");
	}

	static Stream<Path> sources() throws IOException {
		try (Stream<Path> modules = Files.list(ROOT)) {
			return modules.filter((module) -> module.getFileName().toString().startsWith("lowkiq-"))
				.filter((module) -> !UNPUBLISHED.contains(module.getFileName().toString()))
				.map((module) -> module.resolve("src/main/java"))
				.filter(Files::isDirectory)
				.flatMap(OperationsPageTests::warning)
				.sorted()
				.toList()
				.stream();
		}
	}

	private static Stream<Path> warning(Path sources) {
		try (Stream<Path> files = Files.walk(sources)) {
			return files.filter((file) -> file.toString().endsWith(".java"))
				.filter((file) -> CALL.matcher(read(file)).find())
				.toList()
				.stream();
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static String page(String name) throws IOException {
		return Files.readString(ROOT.resolve("docs").resolve(name));
	}

	/** What a call logs, with … where it has a value. */
	private static String line(String code, int begin) {
		StringBuilder line = new StringBuilder();
		Matcher literals = LITERAL.matcher(code).region(begin, code.length());
		while (literals.find()) {
			line.append(literals.group(1));
			if (!literals.group().stripTrailing().endsWith("+")) {
				break;
			}
		}
		return line.toString().replace("\\\"", "\"").replace("{}", "…");
	}

	private static String read(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
