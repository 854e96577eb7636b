package io.lowkiq.snippets.recipes;

import java.time.Duration;
import java.time.Instant;

import io.lowkiq.testing.TestRedis;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.Test;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two nodes have the schedule, and one of them ends. The cron expression is overridden so
 * that a night takes a second.
 */
class EveryNightIntegrationTests {

	@Test
	void everyNightOnOneNode() {
		String prefix = TestRedis.uniquePrefix();
		try (ConfigurableApplicationContext one = node(prefix); ConfigurableApplicationContext two = node(prefix)) {
			int before = reports(one, two);
			Instant begin = Instant.now();
			await(() -> assertThat(reports(one, two)).isGreaterThanOrEqualTo(before + 6));
			int all = reports(one, two);
			assertThat(all - before).isLessThanOrEqualTo((int) Duration.between(begin, Instant.now()).toSeconds() + 2);

			Journal ofTheOther = journal(two);
			SpringApplication.exit(two);
			int afterwards = journal(one).lines().size();
			await(() -> assertThat(journal(one).lines()).hasSizeGreaterThanOrEqualTo(afterwards + 2));
			assertThat(ofTheOther.lines()).allMatch((line) -> line.startsWith("report "));
		}
	}

	private static Journal journal(ConfigurableApplicationContext node) {
		return node.getBean(Journal.class);
	}

	private static int reports(ConfigurableApplicationContext one, ConfigurableApplicationContext two) {
		return journal(one).lines().size() + journal(two).lines().size();
	}

	private static void await(ThrowingRunnable assertion) {
		Awaitility.await().atMost(Duration.ofMinutes(1)).untilAsserted(assertion);
	}

	private static ConfigurableApplicationContext node(String prefix) {
		return new SpringApplicationBuilder(RecipesApplication.class).web(WebApplicationType.NONE)
			.run("--spring.data.redis.url=" + TestRedis.shared().url(), "--lowkiq.key-prefix=" + prefix,
					"--spring.config.location=optional:file:none/",
					"--lowkiq.workers.reports.schedules.nightly.cron=* * * * * *");
	}

}
