package io.lowkiq.reliability.program;

import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

import io.lowkiq.codec.JacksonPayloadCodec;
import io.lowkiq.LowkiqClient;
import io.lowkiq.LowkiqObserver;
import io.lowkiq.client.ShardedLowkiqClient;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.reliability.history.HistoryWriter;

/**
 * A producer. It enqueues in order and repeats what was not acknowledged, as a careful
 * application does. Prints {@code DONE} when it has enqueued its number of payloads, or
 * got a line on its standard input.
 */
public final class ProducerProgram {

	private static final long NANOS = 1_000_000_000L;

	private ProducerProgram() {
	}

	/**
	 * Runs until its work is done.
	 * @param arguments {@code name}, {@code redis}, {@code prefix}, {@code history},
	 * {@code timeout} of a command in milliseconds, {@code replicas} to wait for,
	 * {@code producer}: its number, {@code seed}, {@code payloads}: how many to enqueue,
	 * {@code rate}: how many a second, 0 for as many as go, {@code ids}: how many ids a
	 * queue has, {@code shards} of each queue, {@code kind} of the payloads: as in
	 * {@link Workload#next}
	 * @throws IOException if the standard input is broken
	 * @throws InterruptedException never
	 */
	public static void main(String[] arguments) throws IOException, InterruptedException {
		ProgramSettings settings = new ProgramSettings(arguments);
		RedisStore store = settings.confirmedStore();
		LowkiqClient client = new ShardedLowkiqClient(Workload.workers(settings.number("shards")), store.shards(),
				store.queues(), new JacksonPayloadCodec(), List.of(), LowkiqObserver.NONE);
		HistoryWriter history = new HistoryWriter(settings.historyDirectory(), settings.text("name"));
		StallWatch.begin(history, settings.text("name"));
		run(new Producer(client, history, Surroundings.REAL, new Random(settings.number("seed")),
				settings.number("producer"), settings.number("ids"), settings.text("kind")), settings);
		System.out.println("DONE");
		System.out.flush();
		Runtime.getRuntime().halt(0);
	}

	private static void run(Producer producer, ProgramSettings settings) throws IOException, InterruptedException {
		int payloads = settings.number("payloads");
		int rate = settings.number("rate");
		long begun = System.nanoTime();
		for (long sent = 0; sent < payloads && System.in.available() == 0;) {
			sent = producer.enqueueNext(payloads - sent);
			if (rate > 0) {
				LockSupport.parkNanos(begun + sent * NANOS / rate - System.nanoTime());
			}
		}
	}

}
