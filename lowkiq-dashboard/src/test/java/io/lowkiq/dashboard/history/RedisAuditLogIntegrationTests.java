package io.lowkiq.dashboard.history;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.lowkiq.dashboard.history.ThroughputLog.Total;
import io.lowkiq.admin.AdminEvent;
import io.lowkiq.admin.AdminEvent.Result;
import io.lowkiq.dashboard.actions.ActionBoard;
import io.lowkiq.dashboard.actions.ActionStatus;
import io.lowkiq.dashboard.actions.ActionStatus.State;
import io.lowkiq.dashboard.actions.RedisActionBoard;
import io.lowkiq.testing.SecuredRedis;
import io.lowkiq.testing.TestRedis;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of {@link RedisAuditLog}, and of the rights that it, {@link RedisActionBoard} and
 * {@link RedisThroughputLog} need.
 */
class RedisAuditLogIntegrationTests extends AuditLogContract {

	private final LettuceConnectionFactory connections = TestRedis.connectionFactory(TestRedis.shared().url());

	private final StringRedisTemplate template = new StringRedisTemplate(this.connections);

	private final String prefix = TestRedis.uniquePrefix();

	private final AuditLog log = new RedisAuditLog(this.template, this.prefix);

	@AfterEach
	void disconnect() {
		this.connections.destroy();
	}

	@Override
	AuditLog log() {
		return this.log;
	}

	@Test
	void whatCantBeReadIsLeftOut() {
		this.log.add(pause());
		for (String text : new String[] { "", "x", "1 ", "1 {", "1 []", "x {}", "1 null" }) {
			this.template.opsForList().rightPush(this.prefix + ":{history}:audit", text);
			this.template.opsForHash().put(this.prefix + ":{history}:pauses", "orders", text);
			assertThat(this.log.lastPause("orders")).isEmpty();
		}
		assertThat(this.log.recent(false, 100)).hasSize(1);
	}

	@Test
	void theDocumentedRightsAreEnough() throws IOException, GeneralSecurityException {
		Matcher rules = Pattern.compile("ACL SETUSER app on >password (.*?)```", Pattern.DOTALL)
			.matcher(Files.readString(Path.of("..", "docs", "production.md")));
		assertThat(rules.find()).isTrue();
		try (SecuredRedis redis = SecuredRedis.start(rules.group(1).replaceAll("[\\s\\\\]+", " ").strip())) {
			LettuceConnectionFactory secured = redis.connectionFactory();
			try {
				StringRedisTemplate limited = new StringRedisTemplate(secured);
				AuditLog audit = new RedisAuditLog(limited, "lowkiq");
				audit.add(pause());
				assertThat(audit.recent(false, 1)).hasSize(1);
				assertThat(audit.lastPause("orders")).isPresent();
				ActionBoard board = new RedisActionBoard(limited, "lowkiq");
				ActionStatus run = board
					.begin(new ActionStatus("1", "orders", "pause", "anna", State.RUNNING, 1, 0, 0, 0, null, null));
				assertThat(board.running()).hasSize(1);
				board.cancel(run.run());
				assertThat(board.update(run)).isFalse();
				board.end(run);
				ThroughputLog history = new RedisThroughputLog(limited, "lowkiq");
				history.write(history.claim(1).orElseThrow(), Map.of("orders", new Total(7, 1)));
				assertThat(history.steps("orders")).hasSize(1);
				assertThat(history.days(null)).hasSize(1);
			}
			finally {
				secured.destroy();
			}
			assertThat(redis.denied()).isEmpty();
		}
	}

	private static AdminEvent pause() {
		return new AdminEvent("anna", "pause", "orders", List.of(), 3, Result.DONE, "Queue orders was paused.");
	}

}
