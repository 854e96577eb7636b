package io.lowkiq.snippets;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.xml.parsers.DocumentBuilderFactory;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.config.YamlPropertiesFactoryBean;
import org.springframework.core.io.ByteArrayResource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks README and docs: Java is compiled, properties exist, links lead somewhere,
 * pictures are there.
 */
class DocumentationTests {

	private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

	private static final Pattern BLOCK = Pattern
		.compile("(?m)(?:^<!-- snippet: ([a-z-]+) -->\\n+)?^```(java|yaml)\\n((?s:.*?))^```$");

	/** A complete file, which the tests in io.lowkiq.snippets.pages compile and run. */
	private static final Pattern FILE = Pattern.compile("(?m)^\\*\\*`[\\w./-]+`\\*\\*\\n```java\\n(?s:.*?)^```$");

	private static final Pattern REGION = Pattern
		.compile("(?m)^\\s*// tag::([a-z-]+)\\[]\\n((?s:.*?))^\\s*// end::\\1\\[]$");

	private static final Pattern FENCE = Pattern.compile("(?m)^ *```(?s:.*?)^ *```$");

	private static final Pattern LINK = Pattern.compile("\\[[^\\]]*]\\((?!https?:)([^)#]*)(?:#([^)]*))?\\)");

	/** A test that a page names: its class, or one of its methods. */
	private static final Pattern PROOF = Pattern
		.compile("\\[`(\\w+(?:Tests|Contract))(?:\\.(\\w+))?`]\\(([^)]*\\.java)\\)");

	private static final Pattern IMAGE = Pattern.compile("!\\[([^\\]]*)]\\(([^)]*)\\)");

	private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} +(.+)$");

	/** The begin of a list item, a row of a table, a heading or a quote. */
	private static final Pattern BEGIN = Pattern.compile("\\s*(?:[-*] |\\d+\\. |\\||#|>).*");

	private static final Pattern TARGET = Pattern.compile("!\\[[^\\]]*]\\([^)]*\\)|(?<=])\\([^)]*\\)");

	private static final int README_LINES = 120;

	private static final Set<String> NOT_PROSE = Set.of("CHANGELOG.md", "llms.txt");

	/** Figures that a benchmark has written. */
	private static final Pattern FIGURES = Pattern.compile("<!-- figures: begin -->(?s:.*?)<!-- figures: end -->");

	/** Four lines on the screen. */
	private static final int PARAGRAPH_CHARACTERS = 520;

	@ParameterizedTest
	@MethodSource("pages")
	void everyJavaBlockIsCompiled(Path page) throws IOException {
		Map<String, String> regions = regions();
		for (Block block : blocks(page, "java")) {
			assertThat(block.snippet()).as("marker before the block:%n%s", block.text()).isNotNull();
			assertThat(regions).containsKey(block.snippet());
			assertThat(block.text()).as("%s in %s", block.snippet(), page.getFileName())
				.isEqualTo(regions.get(block.snippet()));
		}
	}

	@ParameterizedTest
	@MethodSource("pages")
	void everyPropertyInAYamlBlockExists(Path page) throws IOException {
		Set<String> known = knownProperties();
		for (Block block : blocks(page, "yaml")) {
			YamlPropertiesFactoryBean yaml = new YamlPropertiesFactoryBean();
			yaml.setResources(new ByteArrayResource(block.text().getBytes()));
			for (String name : yaml.getObject().stringPropertyNames()) {
				String property = name.replaceAll("\\[\\d+]$", "")
					.replaceFirst("^lowkiq\\.(workers|queues)\\.[^.]+\\.", "lowkiq.$1.*.");
				assertThat(known).as("%s in %s", name, page.getFileName()).contains(property);
			}
		}
	}

	@ParameterizedTest
	@MethodSource("pages")
	void everyLinkLeadsToAFileAndToAHeading(Path page) throws IOException {
		Matcher links = LINK.matcher(text(page));
		while (links.find()) {
			Path target = links.group(1).isEmpty() ? page : page.resolveSibling(links.group(1));
			assertThat(target).as("link in %s", page.getFileName()).exists();
			if (links.group(2) != null) {
				assertThat(anchors(target)).as("link in %s to %s", page.getFileName(), target.getFileName())
					.contains(links.group(2));
			}
		}
	}

	@ParameterizedTest
	@MethodSource("pages")
	void everyImageExistsAndHasAText(Path page) throws IOException {
		Matcher images = IMAGE.matcher(text(page));
		while (images.find()) {
			assertThat(page.resolveSibling(images.group(2))).as("image in %s", page.getFileName()).exists();
			assertThat(images.group(1)).as("text of %s in %s", images.group(2), page.getFileName()).isNotBlank();
		}
	}

	@Test
	void everyPictureIsShown() throws IOException {
		List<Path> shown = new ArrayList<>();
		for (Path page : pages().toList()) {
			IMAGE.matcher(text(page))
				.results()
				.forEach((image) -> shown.add(page.resolveSibling(image.group(2)).normalize()));
		}
		try (Stream<Path> pictures = Files.list(ROOT.resolve("docs/images"))) {
			assertThat(shown).containsAll(pictures.toList());
		}
	}

	@ParameterizedTest
	@MethodSource("prose")
	void noParagraphIsLong(Path page) throws IOException {
		for (String paragraph : paragraphs(text(page))) {
			assertThat(TARGET.matcher(paragraph).replaceAll("")).as("paragraph of %s", page.getFileName())
				.hasSizeLessThanOrEqualTo(PARAGRAPH_CHARACTERS);
		}
	}

	@ParameterizedTest
	@MethodSource("written")
	void noPageHasMoreWordsThanItsLimit(Path page) throws IOException {
		String name = ROOT.relativize(page).toString();
		int limit = Files.readAllLines(ROOT.resolve("verification/words.txt"))
			.stream()
			.filter((line) -> line.startsWith(name + " "))
			.mapToInt((line) -> Integer.parseInt(line.substring(name.length() + 1)))
			.findFirst()
			.orElse(0);
		String words = FIGURES.matcher(Files.readString(page)).replaceAll("");
		assertThat(words.strip().split("\\s+").length).as("words of %s, see verification/words.txt", name)
			.isLessThanOrEqualTo(limit);
	}

	@ParameterizedTest
	@MethodSource("drawings")
	void everyDrawingIsWellFormedAndSaysWhatItShows(Path drawing) throws Exception {
		Element svg = DocumentBuilderFactory.newInstance()
			.newDocumentBuilder()
			.parse(drawing.toFile())
			.getDocumentElement();
		assertThat(svg.getTagName()).isEqualTo("svg");
		for (String name : List.of("title", "desc")) {
			NodeList found = svg.getElementsByTagName(name);
			assertThat(found.getLength()).as("%s of %s", name, drawing.getFileName()).isOne();
			assertThat(found.item(0).getTextContent()).as("%s of %s", name, drawing.getFileName()).isNotBlank();
		}
		assertThat(Files.readString(drawing)).doesNotContain("@import", "url(http", "href=\"http");
	}

	@ParameterizedTest
	@MethodSource("pages")
	void everyTestThatProvesSomethingExists(Path page) throws IOException {
		Matcher proofs = PROOF.matcher(text(page));
		while (proofs.find()) {
			Path test = page.resolveSibling(proofs.group(3));
			assertThat(test).as("test in %s", page.getFileName()).exists().hasFileName(proofs.group(1) + ".java");
			if (proofs.group(2) != null) {
				assertThat(Files.readString(test)).as("%s in %s", proofs.group(), page.getFileName())
					.containsPattern("Test\\b[^;]{0,400}\\bvoid " + proofs.group(2) + "\\(");
			}
		}
	}

	@Test
	void everyPageIsLinkedFromTheReadmeOrTheAppendixAndFromLlmsTxt() throws IOException {
		List<Path> docs = pages().filter((page) -> page.startsWith(ROOT.resolve("docs"))).toList();
		List<Path> fromReadme = new ArrayList<>(linked(ROOT.resolve("README.md")));
		fromReadme.addAll(linked(ROOT.resolve("docs/appendix/README.md")));
		assertThat(fromReadme).containsAll(docs);
		assertThat(linked(ROOT.resolve("llms.txt")))
			.containsAll(docs.stream().filter((page) -> !page.endsWith("README.md")).toList());
	}

	@Test
	void everyFileThatAPolicyTouchesKnowsAnotherOne() throws IOException {
		Path page = ROOT.resolve("CONTRIBUTING.md");
		List<Path> places = linked(page, text(page).split("## Add a policy|## Add a script")[1]);
		assertThat(places).hasSizeGreaterThan(10)
			.allSatisfy((place) -> assertThat(place).content().containsAnyOf("debounce", "buryOn"));
	}

	@Test
	void theReadmeIsShort() throws IOException {
		assertThat(Files.readAllLines(ROOT.resolve("README.md"))).hasSizeLessThanOrEqualTo(README_LINES);
	}

	static Stream<Path> pages() throws IOException {
		List<Path> pages = new ArrayList<>();
		for (String name : List.of("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "llms.txt")) {
			pages.add(ROOT.resolve(name));
		}
		try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
			docs.filter((file) -> file.toString().endsWith(".md")).sorted().forEach(pages::add);
		}
		return pages.stream();
	}

	/** Pages that people read from the beginning to the end. */
	static Stream<Path> prose() throws IOException {
		return pages().filter((page) -> !NOT_PROSE.contains(page.getFileName().toString()));
	}

	/** Without the page that is generated. */
	static Stream<Path> written() throws IOException {
		return prose().filter((page) -> !page.endsWith("properties.md"));
	}

	private static List<Path> linked(Path page) throws IOException {
		return linked(page, text(page));
	}

	private static List<Path> linked(Path page, String part) {
		return LINK.matcher(part).results().map((link) -> page.resolveSibling(link.group(1)).normalize()).toList();
	}

	static Stream<Path> drawings() throws IOException {
		try (Stream<Path> images = Files.list(ROOT.resolve("docs/images"))) {
			return images.filter((file) -> file.toString().endsWith(".svg")).sorted().toList().stream();
		}
	}

	/**
	 * Items of lists are paragraphs of their own; rows of tables and headings are none.
	 */
	private static List<String> paragraphs(String text) {
		List<String> paragraphs = new ArrayList<>();
		StringBuilder current = new StringBuilder();
		for (String line : text.split("\\n", -1)) {
			if (line.isBlank() || BEGIN.matcher(line).matches()) {
				paragraphs.add(current.toString().strip());
				current.setLength(0);
			}
			if (!line.startsWith("|") && !line.startsWith("#")) {
				current.append(line.strip()).append(' ');
			}
		}
		paragraphs.add(current.toString().strip());
		return paragraphs;
	}

	/** Without code, in which nothing is a link or a heading. */
	private static String text(Path page) throws IOException {
		return FENCE.matcher(Files.readString(page)).replaceAll("");
	}

	/** As GitHub names the headings of a page. */
	private static Set<String> anchors(Path page) throws IOException {
		Set<String> anchors = new TreeSet<>();
		Matcher headings = HEADING.matcher(text(page));
		while (headings.find()) {
			String name = headings.group(1)
				.toLowerCase(Locale.ROOT)
				.replaceAll("[^\\p{L}\\p{N} _-]", "")
				.replace(' ', '-');
			String anchor = name;
			for (int same = 1; !anchors.add(anchor); same++) {
				anchor = name + "-" + same;
			}
		}
		return anchors;
	}

	private static List<Block> blocks(Path page, String language) throws IOException {
		return BLOCK.matcher(FILE.matcher(Files.readString(page)).replaceAll(""))
			.results()
			.filter((block) -> block.group(2).equals(language))
			.map((block) -> new Block(block.group(1), block.group(3)))
			.toList();
	}

	private static Map<String, String> regions() throws IOException {
		try (Stream<Path> own = Files.walk(Path.of("src"));
				Stream<Path> dashboard = Files.walk(ROOT.resolve("lowkiq-dashboard/src/test"))) {
			return Stream.concat(own, dashboard)
				.filter((file) -> file.toString().endsWith(".java"))
				.flatMap((file) -> REGION.matcher(read(file)).results().toList().stream())
				.collect(Collectors.toMap((region) -> region.group(1),
						(region) -> region.group(2).stripTrailing().stripIndent().replace("\t", "    ") + "\n"));
		}
	}

	private static String read(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * The properties that the metadata on the class path knows; those of a queue as
	 * {@code lowkiq.workers.*}.
	 */
	private static Set<String> knownProperties() throws IOException {
		Set<String> names = new TreeSet<>();
		ClassLoader loader = DocumentationTests.class.getClassLoader();
		for (URL url : Collections.list(loader.getResources("META-INF/spring-configuration-metadata.json"))) {
			try (InputStream in = url.openStream()) {
				for (JsonNode property : JsonMapper.shared().readTree(in).path("properties")) {
					names.add(property.path("name").asString());
				}
			}
		}
		for (String name : List.of("shards", "batch-size", "max-retry-count", "max-payloads", "scheduler-weight",
				"shard-concurrency", "retry.initial-interval", "retry.multiplier", "retry.max-interval", "retry.jitter",
				"concurrency", "rate", "one-shard-per-group", "group.concurrency", "group.rate")) {
			names.add("lowkiq.workers.*." + name);
		}
		names.add("lowkiq.queues.*.shards");
		return names;
	}

	private record Block(String snippet, String text) {
	}

}
