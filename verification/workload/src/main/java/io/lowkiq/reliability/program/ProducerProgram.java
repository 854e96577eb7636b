package io.lowkiq.reliability.program;

import java.io.IOException;
import java.time.Duration;
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

	private static final int BACKLOG_CHUNK = 500;

	/** How long the jobs of a backlog wait. */
	private static final Duration BACKLOG_DELAY = Duration.ofSeconds(4);

	/** How many more of its shard come afterwards, each after a pause. */
	private static final int LATE = 300;

	private static final int LATE_MILLIS = 3_000;

	private static final long PAUSE = 20_000_000L;

	private ProducerProgram() {
	}

	/**
	 * Runs until its work is done.
	 * @param arguments {@code name}, {@code redis}, {@code prefix}, {@code history},
	 * {@code timeout} of a command in milliseconds, {@code replicas} to wait for,
	 * {@code producer}: its number, {@code seed}, {@code payloads}: how many to enqueue,
	 * {@code rate}: how many a second, 0 for as many as go, {@code ids}: how many ids a
	 * queue has, {@code shards} of each queue, {@code limits}: the seed that draws the
	 * limits of the queues, or 0 for none, {@code kind} of the payloads: as in
	 * {@link Workload#next}; or {@code backlog} for jobs of one shard that are due at
	 * about the same time, which it prints as {@code DUE}, and others that come later
	 */
	public static void main(String[] arguments) throws IOException, InterruptedException {
		ProgramSettings settings = new ProgramSettings(arguments);
		RedisStore store = settings.confirmedStore();
		LowkiqClient client = new ShardedLowkiqClient(settings.workers(), store.shards(), store.queues(),
				new JacksonPayloadCodec(), List.of(), LowkiqObserver.NONE);
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
		if (settings.text("kind").equals("backlog")) {
			backlog(producer, settings, payloads);
			return;
		}
		int rate = settings.number("rate");
		long begun = System.nanoTime();
		for (long sent = 0; sent < payloads && System.in.available() == 0;) {
			sent = producer.enqueueNext(payloads - sent);
			if (rate > 0) {
				LockSupport.parkNanos(begun + sent * NANOS / rate - System.nanoTime());
			}
		}
	}

	private static void backlog(Producer producer, ProgramSettings settings, int payloads)
			throws IOException, InterruptedException {
		int shards = settings.number("shards");
		Random random = new Random(settings.number("seed"));
		long due = System.nanoTime() + BACKLOG_DELAY.toNanos();
		for (long sent = 0; sent < payloads;) {
			Duration left = Duration.ofMillis(Math.max(1, (due - System.nanoTime()) / 1_000_000));
			sent = producer.enqueueDelayed(BACKLOG_CHUNK, shards, left);
		}
		LockSupport.parkNanos(due - System.nanoTime());
		System.out.println("DUE");
		System.out.flush();
		for (int i = 0; i < LATE && System.in.available() == 0; i++) {
			producer.enqueueDelayed(1, shards, Duration.ofMillis(1 + random.nextInt(LATE_MILLIS)));
			LockSupport.parkNanos(PAUSE);
		}
	}

}
