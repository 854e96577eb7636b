package io.lowkiq.snippets;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.lowkiq.autoconfigure.LowkiqProperties;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Generates {@code docs/appendix/properties.md} from the configuration metadata, and
 * checks that it is up to date.
 */
class ConfigurationDocumentationTests {

	private static final Path PAGE = Path.of("..", "docs", "appendix", "properties.md");

	private static final Path PROPERTIES = Path.of("..", "lowkiq-spring-boot-autoconfigure", "src", "main", "java",
			LowkiqProperties.class.getName().replace('.', '/') + ".java");

	private static final Pattern PARAMETER = Pattern.compile("@param (\\w+) (.*?)(?= @param |$)");

	private static final String HEAD = """
			# Properties

			<!-- Generated from the configuration metadata; to update it:
			mvn -pl sample-app -am test -Dtest=ConfigurationDocumentationTests -Dsurefire.failIfNoSpecifiedTests=false -Dlowkiq.docs.update=true -->

			Set these properties in `application.properties`, `application.yaml` or the environment. The connection to Redis (TLS,
			Sentinel, Cluster) is configured by Spring Boot's `spring.data.redis.*`, or, for a [Redis of its own](../production.md#a-redis-of-its-own-for-jobs), by `lowkiq.redis.url` or a bean.

			""";

	@Test
	void thePageIsUpToDate() throws IOException {
		String generated = generate();
		if (Boolean.getBoolean("lowkiq.docs.update")) {
			Files.createDirectories(PAGE.getParent());
			Files.writeString(PAGE, generated);
		}
		assertThat(PAGE).as("docs/appendix/properties.md is out of date: run mvn -pl sample-app -am test "
				+ "-Dtest=ConfigurationDocumentationTests -Dsurefire.failIfNoSpecifiedTests=false -Dlowkiq.docs.update=true")
			.hasContent(generated);
	}

	@Test
	void everyPropertyHasADescriptionAndADefault() throws IOException {
		for (Row row : rows()) {
			assertThat(row.description()).as(row.name()).isNotBlank();
			if (row.defaultValue().isBlank()) {
				assertThat(row.description()).as(row.name()).contains("by default");
			}
		}
	}

	@Test
	void thePageHasThePropertiesOfAQueue() throws IOException {
		assertThat(rows()).extracting(Row::name)
			.contains("lowkiq.workers.<queue>.shards", "lowkiq.workers.<queue>.shard-concurrency",
					"lowkiq.queues.<queue>.shards");
	}

	@Test
	void choicesHaveHints() throws IOException {
		List<String> names = new ArrayList<>();
		metadata("hints").forEach((hint) -> names.add(hint.get("name").asString()));
		assertThat(names).contains("lowkiq.dashboard.payloads", "lowkiq.dashboard.port", "lowkiq.server.scheduler",
				"lowkiq.server.splitter");
	}

	private static String generate() throws IOException {
		StringBuilder page = new StringBuilder(HEAD);
		page.append("| Property | Type | Default | Description |\n| --- | --- | --- | --- |\n");
		for (Row row : rows()) {
			page.append("| `%s` | %s | %s | %s |%n"
				.formatted(row.name(), row.type(), row.defaultValue().isEmpty() ? "" : "`" + row.defaultValue() + "`",
						row.description())
				.replace(System.lineSeparator(), "\n"));
		}
		for (JsonNode hint : metadata("hints")) {
			page.append("\n`%s`:\n\n".formatted(hint.get("name").asString()));
			for (JsonNode value : hint.get("values")) {
				page.append(
						"- `%s`: %s\n".formatted(value.get("value").asString(), value.get("description").asString()));
			}
		}
		return page.toString();
	}

	private static List<Row> rows() throws IOException {
		List<Row> rows = new ArrayList<>();
		for (JsonNode property : metadata("properties")) {
			String name = property.get("name").asString();
			if (name.equals("lowkiq.workers")) {
				rows.addAll(rowsOf(LowkiqProperties.Worker.class, "lowkiq.workers.<queue>."));
				rows.addAll(rowsOf(LowkiqProperties.Retry.class, "lowkiq.workers.<queue>.retry."));
				rows.addAll(rowsOf(LowkiqProperties.Group.class, "lowkiq.workers.<queue>.group."));
				rows.add(new Row("lowkiq.workers.<queue>.group.weights.<group>", "Integer", "",
						descriptions(LowkiqProperties.Group.class).get("weights")));
				rows.addAll(rowsOf(LowkiqProperties.Schedule.class, "lowkiq.workers.<queue>.schedules.<id>."));
			}
			else if (name.equals("lowkiq.queues")) {
				rows.addAll(rowsOf(LowkiqProperties.Queue.class, "lowkiq.queues.<queue>."));
				rows.addAll(rowsOf(LowkiqProperties.DeclaredGroup.class, "lowkiq.queues.<queue>.group."));
			}
			else {
				rows.add(new Row(name, type(property.get("type").asString()),
						property.path("defaultValue").asString(""), property.path("description").asString("")));
			}
		}
		rows.sort(Comparator.comparing(Row::name));
		return rows;
	}

	/*
	 * The metadata holds nothing of the values of a map.
	 */
	private static Map<String, String> descriptions(Class<?> type) throws IOException {
		Matcher javadoc = Pattern
			.compile("/\\*\\*((?:(?!\\*/).)*)\\*/\\s+public record " + type.getSimpleName() + "\\(", Pattern.DOTALL)
			.matcher(Files.readString(PROPERTIES));
		assertThat(javadoc.find()).isTrue();
		Map<String, String> descriptions = new HashMap<>();
		Matcher parameter = PARAMETER.matcher(javadoc.group(1).replaceAll("\\s*\\*\\s+", " ").strip());
		while (parameter.find()) {
			descriptions.put(parameter.group(1), parameter.group(2).trim());
		}
		return descriptions;
	}

	private static List<Row> rowsOf(Class<?> type, String prefix) throws IOException {
		Map<String, String> descriptions = descriptions(type);
		return Stream.of(type.getRecordComponents())
			.filter((each) -> !Map.class.isAssignableFrom(each.getType()) && !each.getType().isRecord())
			.map((each) -> new Row(
					prefix + each.getName().replaceAll("([A-Z])", "-$1").toLowerCase(java.util.Locale.ROOT),
					each.getType().getSimpleName(), "", descriptions.getOrDefault(each.getName(), "")))
			.toList();
	}

	private static String type(String type) {
		return type.replaceAll("[\\w.]+[.$]", "");
	}

	/*
	 * What the modules of Lowkiq have in one section, in the order of the names.
	 */
	private static List<JsonNode> metadata(String section) throws IOException {
		List<JsonNode> found = new ArrayList<>();
		ClassLoader loader = ConfigurationDocumentationTests.class.getClassLoader();
		for (URL url : Collections.list(loader.getResources("META-INF/spring-configuration-metadata.json"))) {
			try (InputStream metadata = url.openStream()) {
				for (JsonNode entry : JsonMapper.shared().readTree(metadata).path(section)) {
					if (List.of(entry.path("name").asString().split("\\.")).contains("lowkiq")) {
						found.add(entry);
					}
				}
			}
		}
		found.sort(Comparator.comparing((entry) -> entry.path("name").asString()));
		return found;
	}

	private record Row(String name, String type, String defaultValue, String description) {
	}

}
