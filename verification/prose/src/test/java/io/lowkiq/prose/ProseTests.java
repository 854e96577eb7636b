package io.lowkiq.prose;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
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

	private final JLanguageTool languageTool = new JLanguageTool(Languages.getLanguageForShortCode("en-US"));

	@BeforeAll
	void acceptOurWords() throws IOException {
		lines("rules-off.txt").forEach(this.languageTool::disableRule);
		List<String> words = lines("words.txt");
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

	static Stream<Path> pages() throws IOException {
		try (Stream<Path> docs = Files.list(ROOT.resolve("docs"))) {
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

	private static List<String> avoided(String page) throws IOException {
		String prose = CODE.matcher(page).replaceAll((code) -> code.group().replaceAll("[^\\n]", "~"));
		List<String> found = new ArrayList<>();
		for (String line : lines("avoid.txt")) {
			String[] rule = line.split(" => ", 2);
			Matcher matcher = Pattern.compile("(?i)\\b(?:" + rule[0].replace(" ", "\\s+") + ")\\b").matcher(prose);
			while (matcher.find()) {
				found.add("line %d: '%s': %s".formatted(line(page, matcher.start()), matcher.group(), rule[1]));
			}
		}
		return found;
	}

	private static int line(String page, int position) {
		return (int) page.substring(0, position).chars().filter((character) -> character == '\n').count() + 1;
	}

	/** The lines of a file, without comments and empty ones. */
	private static List<String> lines(String name) throws IOException {
		try (InputStream in = Objects.requireNonNull(ProseTests.class.getResourceAsStream(name))) {
			return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines()
				.map(String::strip)
				.filter((line) -> !line.isEmpty() && !line.startsWith("#"))
				.toList();
		}
	}

}
