package io.lowkiq.dashboard.actions;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import io.lowkiq.dashboard.history.DashboardKeys;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.testing.TestRedis;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/** Two nodes that use an {@link ActionBoard} at the same time. */
class ActionBoardIntegrationTests {

	/** Two nodes find the lock of a run that is gone, and each takes it over. */
	@Test
	void oneOfTwoNodesBeginsAnActionWhoseRunIsGone() throws Exception {
		LettuceConnectionFactory connections = TestRedis.connectionFactory(TestRedis.shared().url());
		ExecutorService nodes = Executors.newFixedThreadPool(2);
		try (RedisStore store = new RedisStore(connections, TestRedis.uniquePrefix(), null)) {
			DashboardKeys keys = new DashboardKeys(store);
			Callable<ActionStatus> begin = () -> new ActionBoard(keys).begin(ActionBoardTests.all());
			for (int round = 0; round < 100; round++) {
				keys.command("SET", keys.key("actions", "lock:orders:delete-dead"), "gone");
				List<Future<ActionStatus>> begun = nodes.invokeAll(List.of(begin, begin));
				assertThat(begun.get(0).get().run()).as("round %d", round).isEqualTo(begun.get(1).get().run());
			}
		}
		finally {
			nodes.shutdownNow();
			connections.destroy();
		}
	}

}
