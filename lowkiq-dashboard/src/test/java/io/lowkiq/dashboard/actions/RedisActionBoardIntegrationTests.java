package io.lowkiq.dashboard.actions;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import io.lowkiq.testing.TestRedis;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of {@link RedisActionBoard}.
 */
class RedisActionBoardIntegrationTests extends ActionBoardContract {

	private final LettuceConnectionFactory connections = TestRedis.connectionFactory(TestRedis.shared().url());

	private final StringRedisTemplate template = new StringRedisTemplate(this.connections);

	private final String prefix = TestRedis.uniquePrefix();

	@AfterEach
	void disconnect() {
		this.connections.destroy();
	}

	/** One of another node each time. */
	@Override
	ActionBoard board() {
		return new RedisActionBoard(this.template, this.prefix);
	}

	@Test
	void everyKeyGoesAwayByItself() {
		ActionStatus run = board().begin(all());
		board().update(run.progressed(10));
		board().cancel(run.run());
		assertThat(this.template.keys(this.prefix + ":{actions}:*")).hasSize(5)
			.allMatch((key) -> this.template.getExpire(key) > 0);
	}

	/** Two nodes find the lock of a run that is gone, and each takes it over. */
	@Test
	void oneOfTwoNodesBeginsAnActionWhoseRunIsGone() throws Exception {
		ExecutorService nodes = Executors.newFixedThreadPool(2);
		try {
			for (int round = 0; round < 100; round++) {
				this.template.opsForValue().set(this.prefix + ":{actions}:lock:orders:delete-dead", "gone");
				List<Future<ActionStatus>> begun = nodes
					.invokeAll(List.<Callable<ActionStatus>>of(() -> board().begin(all()), () -> board().begin(all())));
				assertThat(begun.get(0).get().run()).as("round %d", round).isEqualTo(begun.get(1).get().run());
			}
		}
		finally {
			nodes.shutdownNow();
		}
	}

	@Test
	void aRunWhoseNodeDiedIsNotShownAsRunning() {
		ActionStatus run = board().begin(all());
		// As after a minute without a report
		this.template.delete(this.prefix + ":{actions}:alive:" + run.run());
		assertThat(board().running()).isEmpty();
		board().update(run);
		assertThat(board().running()).containsExactly(run);
	}

}
