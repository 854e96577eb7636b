package io.lowkiq.prose;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks the first sentences of Javadoc and of scripts' heads: a noun or a verb in the
 * third person begins them. The phrases are in the files beside this class.
 */
class SourceProseTests {

	private static final Path ROOT = Path.of("").toAbsolutePath().getParent().getParent();

	private final List<Phrases> phrases;

	SourceProseTests() throws IOException {
		this.phrases = List.of(new Phrases("avoid.txt"), new Phrases("avoid-in-first-sentence.txt"));
	}

	@Test
	void javadocHasNoPhraseToAvoid() throws IOException {
		assertThat(findings("java", ".java", FirstSentence::ofJava)).isEmpty();
	}

	@Test
	void headsOfScriptsHaveNoPhraseToAvoid() throws IOException {
		assertThat(findings("resources", ".lua", FirstSentence::ofLua)).isEmpty();
	}

	@Test
	void badSentenceOfJavadocIsFound() {
		String source = """
				/**
				 * What a node does: it is
				 * done anew.
				 */
				class Node {

					/** So many jobs are kept. */
					int kept;

					/**
					 * The jobs, of which the oldest comes first, and one that failed last.
					 */
					int jobs() {
					}

				}
				""";
		assertThat(findings("Node.java", FirstSentence.ofJava(source))).satisfiesExactlyInAnyOrder(
				(finding) -> assertThat(finding).startsWith("Node.java:2: 'What' ")
					.endsWith(" What a node does: it is done anew."),
				(finding) -> assertThat(finding).startsWith("Node.java:2: 'anew' "),
				(finding) -> assertThat(finding).startsWith("Node.java:7: 'So many' "),
				(finding) -> assertThat(finding).startsWith("Node.java:11: 'of which' "),
				(finding) -> assertThat(finding).startsWith("Node.java:11: 'one that' "));
	}

	@Test
	void everyBadBeginningIsFound() {
		assertThat(Stream
			.of("What", "Who", "Whom", "Whose", "Those", "One that", "One of", "That", "Which", "Such", "So long",
					"Of which")
			.flatMap((words) -> in(new FirstSentence(1, words + " fails.")).limit(1))).hasSize(12);
	}

	@Test
	void performIsNoNoun() {
		assertThat(in(new FirstSentence(1, "Counts the performs of a queue."))).hasSize(1);
		assertThat(in(new FirstSentence(1, "The end of a perform."))).hasSize(1);
		assertThat(in(new FirstSentence(1, "The number of threads that perform jobs; each performs one."))).isEmpty();
	}

	@Test
	void goodJavadocIsNotFound() {
		assertThat(findings("Node.java", FirstSentence.ofJava("""
				/**
				 * The session as the node knows it, {@code anew}. What it throws is ignored.
				 */
				class Node {

					String path = "/**";

					/**
					 * Whether the node says what it does.
					 * <p>
					 * One that does not is silent.
					 */
					boolean known();

					/** @return what it is */
					int kind();

					/* What a comment says is free. */
				}
				"""))).isEmpty();
	}

	@Test
	void onlyTheHeadOfAScriptIsChecked() {
		assertThat(findings("end.lua", FirstSentence.ofLua("""
				-- What ends
				-- a session.
				--
				-- ARGV those that end
				"""))).singleElement().asString().startsWith("end.lua:1: 'What' ");
		assertThat(findings("end.lua", FirstSentence.ofLua("""
				-- Ends a session.
				--
				-- ARGV those that end

				-- What follows.
				local function follow()
				"""))).isEmpty();
	}

	private List<String> findings(String folder, String suffix, Function<String, List<FirstSentence>> sentences)
			throws IOException {
		List<String> findings = new ArrayList<>();
		int read = 0;
		for (Path file : files(folder, suffix)) {
			List<FirstSentence> found = sentences.apply(Files.readString(file));
			read += found.size();
			findings.addAll(findings(ROOT.relativize(file).toString(), found));
		}
		assertThat(read).as("sentences read").isPositive();
		return findings;
	}

	private List<String> findings(String file, List<FirstSentence> sentences) {
		return sentences.stream()
			.flatMap((sentence) -> in(sentence).map((phrase) -> "%s:%d: '%s' => %s. In: %s".formatted(file,
					sentence.line(), phrase.text(), phrase.instead(), sentence.text())))
			.toList();
	}

	private Stream<Phrases.Found> in(FirstSentence sentence) {
		return this.phrases.stream().flatMap((avoided) -> avoided.in(sentence.text()).stream());
	}

	/** The files of all modules; a module is at most two folders deep. */
	private static List<Path> files(String folder, String suffix) throws IOException {
		try (Stream<Path> folders = Files.find(ROOT, 5, (path, attributes) -> path.endsWith("src/main/" + folder))) {
			return folders.flatMap(SourceProseTests::walk)
				.filter((file) -> file.toString().endsWith(suffix))
				.sorted()
				.toList();
		}
	}

	private static Stream<Path> walk(Path folder) {
		try {
			return Files.walk(folder);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
