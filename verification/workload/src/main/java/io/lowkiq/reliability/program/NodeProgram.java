package io.lowkiq.reliability.program;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;

import io.lowkiq.codec.JacksonPayloadCodec;
import io.lowkiq.LowkiqObserver;
import io.lowkiq.LowkiqServerEvent;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.client.ShardedLowkiqClient;
import io.lowkiq.engine.LowkiqServer;
import io.lowkiq.engine.ServerOptions;
import io.lowkiq.engine.ServerSettings;
import io.lowkiq.engine.perform.ThreadPerformContext;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.reliability.history.Event;
import io.lowkiq.reliability.history.HistoryWriter;

/**
 * A node. Prints {@code STARTING}, {@code READY} when it has a session, and
 * {@code STOPPED} when it has stopped in order after SIGTERM.
 */
public final class NodeProgram {

	private static final Duration SHUTDOWN_TIMEOUT = Duration.ofSeconds(20);

	private static final int FETCH_AHEAD = 100;

	private NodeProgram() {
	}

	/**
	 * Runs until SIGTERM.
	 * @param arguments {@code name}, {@code redis}, {@code prefix}, {@code history},
	 * {@code lease} in milliseconds, {@code threads}, {@code shards} of each queue,
	 * {@code limits}: the seed that draws the limits of the queues, or 0 for none,
	 * {@code failures} in a thousand, {@code timeout} of a command in milliseconds,
	 * {@code replicas} to wait for when follow-ups are enqueued, {@code producer}: its
	 * number as the producer of follow-ups
	 */
	public static void main(String[] arguments) throws InterruptedException {
		ProgramSettings settings = new ProgramSettings(arguments);
		String name = settings.text("name");
		HistoryWriter history = new HistoryWriter(settings.historyDirectory(), name);
		StallWatch.begin(history, name);
		WorkerRegistry workers = settings.workers();
		RedisStore store = settings.confirmedStore();
		ThreadPerformContext context = new ThreadPerformContext(new ShardedLowkiqClient(workers, store.shards(),
				store.queues(), new JacksonPayloadCodec(), List.of(), LowkiqObserver.NONE)::keeping);
		LowkiqServer server = new LowkiqServer(new ServerOptions(workers,
				new RecordingStore(store, history, Surroundings.REAL, () -> ready(history, name)))
			.settings(new ServerSettings(settings.number("threads"), Duration.ofSeconds(1),
					Duration.ofMillis(settings.number("lease")), FETCH_AHEAD, false))
			.interceptors(List.of(new PerformRecorder(history, Surroundings.REAL, name, context,
					settings.number("failures"), settings.number("producer"))))
			.performContext(context)
			.codec(new PuzzledCodec(Surroundings.REAL))
			.node(name)
			.events((event) -> {
				if (event instanceof LowkiqServerEvent.Failed failed) {
					System.out.println("FAILED " + failed.error());
				}
			}));
		Runtime.getRuntime().addShutdownHook(new Thread(() -> {
			if (server.stop(SHUTDOWN_TIMEOUT)) {
				System.out.println("STOPPED");
			}
		}));
		server.start();
		HealthWatch.begin(history, server::status);
		System.out.println("STARTING");
		new CountDownLatch(1).await();
	}

	private static void ready(HistoryWriter history, String name) {
		history.write(new Event.ProcessUp(System.nanoTime(), name));
		System.out.println("READY");
	}

}
