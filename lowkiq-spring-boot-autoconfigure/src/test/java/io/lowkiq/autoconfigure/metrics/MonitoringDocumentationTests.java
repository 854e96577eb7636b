package io.lowkiq.autoconfigure.metrics;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.lowkiq.BuryException;
import io.lowkiq.LowkiqClient;
import io.lowkiq.LowkiqWorker;
import io.lowkiq.Worker;
import io.lowkiq.autoconfigure.LowkiqClientAutoConfiguration;
import io.lowkiq.autoconfigure.LowkiqRedisAutoConfiguration;
import io.lowkiq.autoconfigure.LowkiqServerAutoConfiguration;
import io.lowkiq.metrics.LowkiqMetrics;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.testing.MemoryStoreConfiguration;
import io.lowkiq.testing.TestQueue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The page of the meters, the board and the rules name what an application publishes. */
class MonitoringDocumentationTests {

	private static final Path DOCS = Path.of("..", "docs");

	private static final Pattern ROW = Pattern
		.compile("(?m)^\\| `(lowkiq\\.[\\w.]+)` \\| (\\w+) \\|([^|]*)\\|([^|]*)\\|");

	/** A metric with the labels that are asked for in an expression. */
	private static final Pattern METRIC = Pattern.compile("\\b(lowkiq_\\w+)(\\{[^}]*})?");

	private static final Pattern SAMPLE = Pattern.compile("(?m)^(lowkiq_\\w+)(\\{[^}]*})? ");

	private static final Pattern LABEL = Pattern.compile("(\\w+)(?:=~|=|!=|!~)\"");

	private static final Pattern GROUPED = Pattern.compile("\\bby \\(([^)]*)\\)");

	/** Added by Prometheus itself. */
	private static final Set<String> OF_PROMETHEUS = Set.of("instance", "job");

	@LowkiqWorker(queue = "mails", shards = 1, groupSeparator = ":")
	static final class MailWorker implements Worker<String> {

		@Override
		public void perform(String id, List<String> payloads) {
			switch (id) {
				case "fails" -> throw new IllegalStateException("no server");
				case "dies" -> throw new BuryException("no such address");
				default -> {
				}
			}
		}

	}

	/**
	 * An application in which a job was performed, one has failed, one has died, and one
	 * waits for its group's turn.
	 */
	private interface Application {

		void look(PrometheusMeterRegistry registry) throws Exception;

	}

	private static void run(Application application) {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(MetricsAutoConfiguration.class, LowkiqRedisAutoConfiguration.class,
					LowkiqClientAutoConfiguration.class, LowkiqServerAutoConfiguration.class,
					LowkiqMetricsAutoConfiguration.class))
			.withUserConfiguration(MemoryStoreConfiguration.class)
			.withBean(MailWorker.class)
			.withBean(PrometheusMeterRegistry.class, () -> new PrometheusMeterRegistry(PrometheusConfig.DEFAULT))
			.withPropertyValues("lowkiq.metrics.cache=0s")
			.run((context) -> {
				PrometheusMeterRegistry registry = context.getBean(PrometheusMeterRegistry.class);
				LowkiqClient client = context.getBean(LowkiqClient.class);
				new TestQueue(context.getBean(RedisStore.class), "sync", 1).enqueue("acme:42").distribute(":");
				List.of("works", "fails", "dies").forEach((id) -> client.enqueue("mails", id, "hello"));
				await().untilAsserted(() -> {
					registry.scrape();
					assertThat(registry.find("lowkiq.queue.size").tag("state", "morgue").gauge()).isNotNull();
					assertThat(registry.scrape()).contains("lowkiq_queue_size{queue=\"mails\",state=\"morgue\"} 1",
							"lowkiq_queue_size{queue=\"mails\",state=\"retry\"} 1");
				});
				seldom(context);
				application.look(registry);
			});
	}

	/** What happens when nodes crash, or Redis is away. */
	private static void seldom(AssertableApplicationContext context) {
		LowkiqMetrics metrics = context.getBean(LowkiqMetrics.class);
		metrics.restored("mails", 1);
		metrics.fenced("mails");
		metrics.enqueueFailed("mails", 1, Duration.ofMillis(1));
	}

	@Test
	void thePageListsAllMetersWithTheirTagsAndUnits() {
		run((registry) -> {
			Map<String, String> published = new TreeMap<>();
			for (Meter meter : registry.getMeters()) {
				if (meter.getId().getName().startsWith("lowkiq.")) {
					Set<String> tags = meter.getId().getTags().stream().map(Tag::getKey).collect(Collectors.toSet());
					published.put(meter.getId().getName(), "%s %s %s".formatted(type(meter), new TreeSet<>(tags),
							(meter.getId().getBaseUnit() != null) ? meter.getId().getBaseUnit() : ""));
				}
			}
			Map<String, String> listed = new TreeMap<>();
			Matcher row = ROW.matcher(Files.readString(DOCS.resolve("metrics.md")));
			while (row.find()) {
				Set<String> tags = new TreeSet<>();
				Matcher tag = Pattern.compile("`(\\w+)`").matcher(row.group(3));
				while (tag.find()) {
					tags.add(tag.group(1));
				}
				listed.put(row.group(1), "%s %s %s".formatted(row.group(2), tags, row.group(4).strip()));
			}
			assertThat(listed).isEqualTo(published);
		});
	}

	private static String type(Meter meter) {
		return switch (meter.getId().getType()) {
			case DISTRIBUTION_SUMMARY -> "summary";
			default -> meter.getId().getType().name().toLowerCase(Locale.ROOT);
		};
	}

	@Test
	void theBoardAsksForWhatIsPublished() {
		run((registry) -> {
			JsonNode board = JsonMapper.shared().readTree(Files.readString(DOCS.resolve("monitoring/grafana.json")));
			List<String> expressions = new ArrayList<>();
			board.get("panels")
				.forEach((panel) -> panel.get("targets")
					.forEach((target) -> expressions.add(target.get("expr").asString())));
			assertThat(expressions).hasSizeGreaterThan(15);
			board.get("templating")
				.get("list")
				.forEach((variable) -> expressions.add(variable.get("query").toString()));
			check(expressions, registry);
		});
	}

	@Test
	@SuppressWarnings("unchecked")
	void theRulesAskForWhatIsPublished() throws IOException {
		Map<String, Object> file = new Yaml().load(Files.readString(DOCS.resolve("monitoring/prometheus.yml")));
		List<Map<String, Object>> rules = ((List<Map<String, Object>>) file.get("groups")).stream()
			.flatMap((group) -> ((List<Map<String, Object>>) group.get("rules")).stream())
			.toList();
		assertThat(rules).hasSizeGreaterThan(8)
			.allMatch((rule) -> rule.containsKey("alert") || rule.containsKey("record"));
		// The outbox publishes its own, and has a test of that
		run((registry) -> check(rules.stream()
			.map((rule) -> String.valueOf(rule.get("expr")))
			.filter((expression) -> !expression.contains("lowkiq_outbox_"))
			.toList(), registry));
	}

	@Test
	@SuppressWarnings("unchecked")
	void nodesAreScaledByARuleThatIsThere() throws IOException {
		Map<String, Object> scaled = new Yaml().load(Files.readString(DOCS.resolve("monitoring/keda.yml")));
		Map<String, Object> spec = (Map<String, Object>) scaled.get("spec");
		Map<String, Object> trigger = ((List<Map<String, Object>>) spec.get("triggers")).get(0);
		String query = String.valueOf(((Map<String, Object>) trigger.get("metadata")).get("query"));
		assertThat(Files.readString(DOCS.resolve("monitoring/prometheus.yml"))).contains("record: " + query + "\n");
	}

	private static void check(List<String> expressions, PrometheusMeterRegistry registry) {
		Map<String, Set<String>> published = new HashMap<>();
		Matcher sample = SAMPLE.matcher(registry.scrape());
		while (sample.find()) {
			published.computeIfAbsent(sample.group(1), (name) -> new TreeSet<>(OF_PROMETHEUS))
				.addAll(labels(sample.group(2)));
		}
		for (String expression : expressions) {
			Set<String> inExpression = new TreeSet<>();
			Matcher metric = METRIC.matcher(expression);
			while (metric.find()) {
				assertThat(published).as(expression).containsKey(metric.group(1));
				assertThat(published.get(metric.group(1))).as(expression).containsAll(labels(metric.group(2)));
				inExpression.addAll(published.get(metric.group(1)));
			}
			Matcher grouped = GROUPED.matcher(expression);
			while (grouped.find()) {
				assertThat(inExpression).as(expression).containsAll(List.of(grouped.group(1).split(", ")));
			}
		}
	}

	private static Set<String> labels(@Nullable String selector) {
		Set<String> labels = new TreeSet<>();
		Matcher label = LABEL.matcher((selector != null) ? selector : "");
		while (label.find()) {
			labels.add(label.group(1));
		}
		return labels;
	}

}
