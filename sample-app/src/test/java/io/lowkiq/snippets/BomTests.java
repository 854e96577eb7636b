package io.lowkiq.snippets;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPath;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathFactory;

import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks that the BOM names each module that is published, in the version of the build.
 */
class BomTests {

	private static final List<String> NOT_PUBLISHED = List.of("lowkiq-bom", "lowkiq-reliability", "lowkiq-benchmarks",
			"sample-app");

	private final XPath path = XPathFactory.newInstance().newXPath();

	@Test
	void namesEachPublishedModule() throws Exception {
		List<String> modules = texts("pom.xml", "/project/modules/module").stream()
			.filter((module) -> !NOT_PUBLISHED.contains(module))
			.toList();
		assertThat(texts("lowkiq-bom/pom.xml", "//dependency/artifactId")).containsExactlyInAnyOrderElementsOf(modules);
	}

	@Test
	void hasTheVersionOfTheBuild() throws Exception {
		assertThat(texts("lowkiq-bom/pom.xml", "/project/version")).isEqualTo(texts("pom.xml", "/project/version"));
		assertThat(texts("lowkiq-bom/pom.xml", "//dependency/version")).containsOnly("${project.version}");
	}

	private List<String> texts(String file, String expression) throws Exception {
		Document pom = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(Path.of("..", file).toFile());
		NodeList nodes = (NodeList) this.path.evaluate(expression, pom, XPathConstants.NODESET);
		return IntStream.range(0, nodes.getLength()).mapToObj((i) -> nodes.item(i).getTextContent()).toList();
	}

}
