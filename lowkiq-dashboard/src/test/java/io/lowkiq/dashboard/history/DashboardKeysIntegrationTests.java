package io.lowkiq.dashboard.history;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import io.lowkiq.admin.AdminEvent;
import io.lowkiq.admin.AdminEvent.Result;
import io.lowkiq.dashboard.actions.ActionBoard;
import io.lowkiq.dashboard.actions.ActionStatus;
import io.lowkiq.dashboard.actions.ActionStatus.State;
import io.lowkiq.dashboard.history.HistoryLog.Sample;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.testing.SecuredRedis;
import io.lowkiq.testing.TestRedis;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;

import static org.assertj.core.api.Assertions.assertThat;

/** What the dashboard keeps, on a real Redis. */
class DashboardKeysIntegrationTests {

	private final String prefix = TestRedis.uniquePrefix();

	@Test
	void theDocumentedRightsAreEnough() throws Exception {
		Matcher rules = Pattern.compile("ACL SETUSER app on >password (.*?)```", Pattern.DOTALL)
			.matcher(Files.readString(Path.of("..", "docs", "production.md")));
		assertThat(rules.find()).isTrue();
		try (SecuredRedis redis = SecuredRedis.start(rules.group(1).replaceAll("[\\s\\\\]+", " ").strip())) {
			LettuceConnectionFactory secured = redis.connectionFactory();
			try (RedisStore store = new RedisStore(secured, "lowkiq", null)) {
				DashboardKeys limited = new DashboardKeys(store);
				AuditLog audit = new AuditLog(limited);
				audit.add(new AdminEvent("anna", "pause", "orders", List.of(), 3, Result.DONE, "It was paused."));
				assertThat(audit.recent(false, 1)).hasSize(1);
				assertThat(audit.lastPause("orders")).isPresent();
				ActionBoard board = new ActionBoard(limited);
				ActionStatus run = board
					.begin(new ActionStatus("1", "orders", "pause", "anna", State.RUNNING, 1, 0, 0, null, null));
				assertThat(board.running()).hasSize(1);
				board.cancel(run.run());
				assertThat(board.update(run)).isFalse();
				board.end(run);
				HistoryLog history = new HistoryLog(limited);
				assertThat(history.claim()).isPresent();
				history.write(Map.of("orders", new Sample(1, 7, 1, 0, 0, 0, PerformCounts.NONE)));
				assertThat(history.last("orders", 2)).hasSize(1);
			}
			finally {
				secured.destroy();
			}
			assertThat(redis.denied()).isEmpty();
		}
	}

	@Test
	void oneNodeClaimsAMinute() {
		LettuceConnectionFactory connections = TestRedis.connectionFactory(TestRedis.shared().url());
		try (RedisStore store = new RedisStore(connections, this.prefix, null)) {
			// Two minutes can begin while the test runs, not twenty
			assertThat(IntStream.range(0, 20)
				.filter((node) -> new HistoryLog(new DashboardKeys(store)).claim().isPresent())
				.count()).isBetween(1L, 2L);
		}
		finally {
			connections.destroy();
		}
	}

	@Test
	void theHistoryOfAQueueTakesLittleMemory() {
		LettuceConnectionFactory connections = TestRedis.connectionFactory(TestRedis.shared().url());
		try {
			StringRedisTemplate template = new StringRedisTemplate(connections);
			PerformCounts performs = new PerformCounts(
					List.of(9_000L, 8_000L, 7_000L, 600L, 500L, 400L, 30L, 20L, 10L));
			List<String> lines = IntStream.range(0, HistoryLog.MINUTES)
				.mapToObj((minute) -> new Sample(1_800_000_000_000L + minute * 60_000L,
						1_000_000_000L + minute * 60_000L, minute, 12_345, 123_456, 1_234, performs)
					.text())
				.toList();
			template.opsForList().rightPushAll(this.prefix + "minutes", lines);
			Long bytes = template.execute(
					RedisScript.of("return redis.call('MEMORY', 'USAGE', KEYS[1], 'SAMPLES', 0)", Long.class),
					List.of(this.prefix + "minutes"));
			assertThat(bytes).isLessThan(320_000);
		}
		finally {
			connections.destroy();
		}
	}

}
