package io.lowkiq.dashboard.jobs;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import io.lowkiq.RegisteredWorker;
import io.lowkiq.Worker;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.engine.LowkiqServer;
import io.lowkiq.engine.ServerOptions;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.inspection.JobPage;
import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.store.inspection.JobQuery.JobList;
import io.lowkiq.testing.TestQueue;
import io.lowkiq.testing.TestRedis;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/** The lists of jobs while a server performs them. */
@Timeout(120)
class ListsUnderWorkIntegrationTests {

	private static final int JOBS = 20_000;

	private final RedisConnectionFactory connections = TestRedis.connectionFactory(TestRedis.shared().url());

	private final RedisStore store = new RedisStore(this.connections, TestRedis.uniquePrefix(), null);

	@ParameterizedTest
	@CsvSource({ "READY, 1", "READY, 5", "QUEUED, 1", "QUEUED, 5" })
	void showJobsAsLongAsSomeWait(JobList list, int shards) {
		TestQueue queue = new TestQueue(this.store, "orders", shards).enqueue(TestQueue.ids("id", JOBS));
		AtomicLong performed = new AtomicLong();
		Worker<Object> worker = (id, payloads) -> performed.incrementAndGet();
		LowkiqServer server = new LowkiqServer(
				new ServerOptions(
						new WorkerRegistry(List.of(new RegisteredWorker("orders", Worker.class, Object.class,
								new RegisteredWorker.Settings(shards, 1, 25, 1_000, 1, 0), () -> worker))),
						this.store));
		server.start();
		try {
			int pages = 0;
			for (JobPage page; performed.get() < JOBS - 2_000; pages++) {
				page = QueueWalk.list(this.store.inspection()::list, queue.layout(), JobQuery.first(list, 50), null);
				if (performed.get() < JOBS - 2_000) {
					assertThat(page.jobs())
						.as("page %d after %d performs, next %s", pages, performed.get(), page.next())
						.isNotEmpty();
				}
			}
			assertThat(pages).isPositive();
		}
		finally {
			server.stop(Duration.ofSeconds(10));
		}
	}

}
