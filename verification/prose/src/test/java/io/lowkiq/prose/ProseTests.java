package io.lowkiq.prose;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.languagetool.JLanguageTool;
import org.languagetool.Languages;
import org.languagetool.rules.RuleMatch;
import org.languagetool.rules.spelling.SpellingCheckRule;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks the English of README and docs with LanguageTool and with phrases to avoid.
 * Words, rules and phrases are in the files beside this class.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ProseTests {

	private static final Path ROOT = Path.of("").toAbsolutePath().getParent().getParent();

	private static final Pattern CODE = Pattern.compile("(?m)^ *```(?s:.*?)^ *```$|`[^`\\n]+`|]\\([^)]*\\)");

	/** The name of a class or a property in running text. */
	private static final Pattern IDENTIFIER = Pattern.compile("\\w*[a-z][A-Z]\\w*");

	private final List<Phrases> phrases;

	private final JLanguageTool languageTool = new JLanguageTool(Languages.getLanguageForShortCode("en-US"));

	ProseTests() throws IOException {
		this.phrases = List.of(new Phrases("avoid.txt"), new Phrases("avoid-in-pages.txt"));
	}

	@BeforeAll
	void acceptOurWords() throws IOException {
		Phrases.lines("rules-off.txt").forEach(this.languageTool::disableRule);
		List<String> words = Phrases.lines("words.txt");
		this.languageTool.getAllActiveRules()
			.stream()
			.filter(SpellingCheckRule.class::isInstance)
			.forEach((rule) -> ((SpellingCheckRule) rule).addIgnoreTokens(words));
	}

	@ParameterizedTest
	@MethodSource("pages")
	void languageToolFindsNothing(Path page) throws IOException {
		assertThat(findings(Files.readString(page))).as("%s", ROOT.relativize(page)).isEmpty();
	}

	@ParameterizedTest
	@MethodSource("pages")
	void noPhraseIsToBeAvoided(Path page) throws IOException {
		assertThat(avoided(Files.readString(page))).as("%s", ROOT.relativize(page)).isEmpty();
	}

	@Test
	void badEnglishIsFound() throws IOException {
		assertThat(findings("# A queue\n\nThis sentence have a mistake. It is a `queue` and an node.\n")).hasSize(2);
		assertThat(findings("Nothing is wrong with `lowkiq.sever`, the [links](to/somwhere.md),\nor a **jobs' id**.\n"))
			.isEmpty();
		assertThat(avoided("The job is done anew.\n\n`anew` is code.\n")).hasSize(1);
	}

	@Test
	void everySentenceOfThisKindIsFound() {
		assertThat(Stream.of("No two performs of one id overlap.", "The shard stays until that perform ends.",
				"The job is buried.", "A fresh job is due.", "The shards are unowned.",
				"What follows completed jobs waits.", "Jobs out of Kafka have an order.",
				"It is sent by way of a table.", "The next job has no reason.", "A user of few rights is enough.",
				"Each time gives one job, whatever the number of nodes."))
			.allSatisfy((sentence) -> assertThat(avoided(sentence)).hasSize(1));
		assertThat(avoided("The nodes perform jobs, and each performs one. `buryOn` is code.")).isEmpty();
	}

	static Stream<Path> pages() throws IOException {
		try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
			return Stream
				.concat(Stream.of(ROOT.resolve("README.md"), ROOT.resolve("CONTRIBUTING.md")),
						docs.filter((file) -> file.toString().endsWith(".md")).sorted())
				.toList()
				.stream();
		}
	}

	private List<String> findings(String page) throws IOException {
		List<String> findings = new ArrayList<>();
		for (RuleMatch match : this.languageTool.check(Markdown.parse(page))) {
			String text = page.substring(match.getFromPos(), match.getToPos());
			// The word that replaces inline code says nothing about grammar
			if (!text.contains("`") && !page.startsWith("`", match.getToPos() + 1)
					&& !IDENTIFIER.matcher(text).matches()) {
				findings.add("line %d: '%s' (%s) %s %s".formatted(line(page, match.getFromPos()),
						text.replace('\n', ' '), match.getSpecificRuleId(), match.getMessage(),
						match.getSuggestedReplacements().stream().limit(3).toList()));
			}
		}
		return findings;
	}

	private List<String> avoided(String page) {
		String prose = CODE.matcher(page).replaceAll((code) -> code.group().replaceAll("[^\\n]", "~"));
		return this.phrases.stream()
			.flatMap((avoided) -> avoided.in(prose).stream())
			.map((found) -> "line %d: '%s': %s".formatted(line(page, found.position()), found.text(), found.instead()))
			.toList();
	}

	private static int line(String page, int position) {
		return FirstSentence.line(page, position);
	}

}
