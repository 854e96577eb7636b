package io.lowkiq.reliability.program;

import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;

import io.lowkiq.codec.JacksonPayloadCodec;
import io.lowkiq.LowkiqObserver;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.client.ShardedLowkiqClient;
import io.lowkiq.engine.LowkiqServer;
import io.lowkiq.engine.ServerOptions;
import io.lowkiq.engine.perform.ThreadPerformContext;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.reliability.history.Event;
import io.lowkiq.reliability.history.History;
import io.lowkiq.reliability.history.HistoryWriter;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class PerformRecorderTests {

	private final RedisStore store = InMemoryRedis.newStore(InstantSource.system());

	private final JacksonPayloadCodec codec = new JacksonPayloadCodec();

	/** Else the checker would take a failure for a perform that was cut off. */
	@Test
	void aPerformEndsThoughItsFollowUpIsRefused(@TempDir Path directory) {
		try (HistoryWriter history = new HistoryWriter(directory, "node")) {
			// Any number of shards but the recorded one is refused
			ThreadPerformContext context = new ThreadPerformContext(client(Workload.workers(2))::keeping);
			LowkiqServer server = new LowkiqServer(new ServerOptions(Workload.workers(1), this.store)
				.interceptors(List.of(new PerformRecorder(history, Surroundings.REAL, "node", context, 0, 1_000)))
				.performContext(context));
			server.registerQueues();
			server.start();
			try {
				client(Workload.workers(1)).enqueue(Workload.LISTS, "42", new Change(7, Change.Kind.FOLLOWED));
				Awaitility.await().untilAsserted(() -> assertThat(ended(directory)).hasSize(1));
			}
			finally {
				server.stop(Duration.ofSeconds(10));
			}
		}
		assertThat(ended(directory)).singleElement().satisfies((event) -> {
			assertThat(event.success()).isTrue();
			assertThat(event.followUps()).isEmpty();
		});
	}

	private ShardedLowkiqClient client(WorkerRegistry workers) {
		return new ShardedLowkiqClient(workers, this.store.shards(), this.store.queues(), this.codec, List.of(),
				LowkiqObserver.NONE);
	}

	private static List<Event.PerformEnded> ended(Path directory) {
		return History.read(directory)
			.byProcess()
			.values()
			.stream()
			.flatMap(List::stream)
			.filter(Event.PerformEnded.class::isInstance)
			.map(Event.PerformEnded.class::cast)
			.toList();
	}

}
