package io.lowkiq.snippets;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The BOM has every published module in the version of this build. */
class BomTests {

	private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

	private static final Pattern MODULE = Pattern.compile("<module>([a-z-]+)</module>");

	private static final Pattern MANAGED = Pattern
		.compile("<groupId>io\\.lowkiq</groupId>\\s*<artifactId>([a-z-]+)</artifactId>\\s*<version>([^<]+)</version>");

	@Test
	void hasEveryPublishedModuleAndNoOther() throws IOException {
		List<String> published = MODULE.matcher(pom(""))
			.results()
			.map((module) -> module.group(1))
			.filter(BomTests::isPublished)
			.toList();
		assertThat(published).contains("lowkiq-core", "lowkiq-bom");
		assertThat(managed("lowkiq-bom")).extracting((dependency) -> dependency.group(1))
			.containsExactlyInAnyOrderElementsOf(published);
	}

	/** Resources of a module take the place of the parent's, which have the licence. */
	@Test
	void everyJarHasTheLicence() throws IOException {
		for (MatchResult module : managed("lowkiq-bom")) {
			String pom = pom(module.group(1));
			assertThat(!pom.contains("<resources>") || pom.contains("<include>LICENSE</include>")).as(module.group(1))
				.isTrue();
		}
	}

	/** Without one, it is made of the name of the jar. */
	@Test
	void everyJarNamesItsModule() throws IOException {
		assertThat(pom("")).contains("<Automatic-Module-Name>${module.name}</Automatic-Module-Name>");
		List<String> names = new ArrayList<>();
		for (MatchResult module : managed("lowkiq-bom").stream().skip(1).toList()) {
			Matcher name = Pattern.compile("<module\\.name>(io\\.lowkiq\\.[a-z.]+)</module\\.name>")
				.matcher(pom(module.group(1)));
			assertThat(name.find()).as(module.group(1)).isTrue();
			names.add(name.group(1));
		}
		assertThat(names).doesNotHaveDuplicates();
	}

	@Test
	void hasTheVersionOfThisBuild() throws IOException {
		Matcher parent = Pattern.compile("<artifactId>lowkiq-parent</artifactId>\\s*<version>([^<]+)</version>")
			.matcher(pom(""));
		assertThat(parent.find()).isTrue();
		assertThat(managed("lowkiq-bom")).extracting((dependency) -> dependency.group(2)).containsOnly(parent.group(1));
	}

	/** The BOM itself comes first. */
	private static List<MatchResult> managed(String module) throws IOException {
		return MANAGED.matcher(pom(module)).results().toList();
	}

	private static boolean isPublished(String module) {
		try {
			return !pom(module).contains("<maven.deploy.skip>true</maven.deploy.skip>");
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static String pom(String module) throws IOException {
		return Files.readString(ROOT.resolve(module).resolve("pom.xml"));
	}

}
