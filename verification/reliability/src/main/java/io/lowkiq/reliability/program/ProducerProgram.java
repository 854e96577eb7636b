package io.lowkiq.reliability.program;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

import io.lowkiq.codec.JacksonPayloadCodec;
import io.lowkiq.JobRequest;
import io.lowkiq.LowkiqClient;
import io.lowkiq.LowkiqObserver;
import io.lowkiq.client.ShardedLowkiqClient;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.reliability.history.Event;
import io.lowkiq.reliability.history.HistoryWriter;
import io.lowkiq.store.StoreException;

/**
 * A producer. It enqueues in order and repeats what was not acknowledged, as a careful
 * application does. Prints {@code DONE} when it has enqueued its number of payloads, or
 * got a line on its standard input.
 */
public final class ProducerProgram {

	private static final int CHUNK = 20;

	/** One chunk of so many is a burst. */
	private static final int BURSTS = 50;

	private static final long NANOS = 1_000_000_000L;

	private static final long PAUSE = 20_000_000L;

	private static final int BACKLOG_CHUNK = 500;

	/** How long the jobs of a backlog wait. */
	private static final Duration BACKLOG_DELAY = Duration.ofSeconds(4);

	/** How many more of its shard come afterwards, each after a pause. */
	private static final int LATE = 300;

	private static final int LATE_MILLIS = 3_000;

	private final LowkiqClient client;

	private final HistoryWriter history;

	private final ProgramSettings settings;

	private final Random random;

	private long sequence;

	private ProducerProgram(LowkiqClient client, HistoryWriter history, ProgramSettings settings) {
		this.client = client;
		this.history = history;
		this.settings = settings;
		this.random = new Random(settings.number("seed"));
	}

	/**
	 * Runs until its work is done.
	 * @param arguments {@code name}, {@code redis}, {@code prefix}, {@code history},
	 * {@code timeout} of a command in milliseconds, {@code replicas} to wait for,
	 * {@code producer}: its number, {@code seed}, {@code payloads}: how many to enqueue,
	 * {@code rate}: how many a second, 0 for as many as go, {@code ids}: how many ids a
	 * queue has, {@code shards} of each queue, {@code kind} of the payloads: as in
	 * {@link Workload#next}; or {@code backlog} for jobs of one shard that are due at
	 * about the same time, which it prints as {@code DUE}, and others that come later
	 * @throws IOException if the standard input is broken
	 */
	public static void main(String[] arguments) throws IOException {
		ProgramSettings settings = new ProgramSettings(arguments);
		RedisStore store = settings.confirmedStore();
		LowkiqClient client = new ShardedLowkiqClient(Workload.workers(settings.number("shards")), store.shards(),
				store.queues(), new JacksonPayloadCodec(), List.of(), LowkiqObserver.NONE);
		HistoryWriter history = new HistoryWriter(settings.historyDirectory(), settings.text("name"));
		StallWatch.begin(history, settings.text("name"));
		new ProducerProgram(client, history, settings).run();
		System.out.println("DONE");
		System.out.flush();
		Runtime.getRuntime().halt(0);
	}

	private void run() throws IOException {
		int payloads = this.settings.number("payloads");
		if (this.settings.text("kind").equals("backlog")) {
			backlog(payloads);
			return;
		}
		int rate = this.settings.number("rate");
		long begun = System.nanoTime();
		List<String> queues = this.settings.text("kind").equals("mixed") ? Workload.QUEUES : Workload.PLAIN_QUEUES;
		while (this.sequence < payloads && System.in.available() == 0) {
			String queue = queues.get(this.random.nextInt(queues.size()));
			enqueue(queue, chunk(queue, (int) Math.min(payloads - this.sequence, CHUNK)));
			if (rate > 0) {
				LockSupport.parkNanos(begun + this.sequence * NANOS / rate - System.nanoTime());
			}
		}
	}

	private void backlog(int payloads) throws IOException {
		long due = System.nanoTime() + BACKLOG_DELAY.toNanos();
		while (this.sequence < payloads) {
			Duration left = Duration.ofMillis(Math.max(1, (due - System.nanoTime()) / 1_000_000));
			enqueue(Workload.SERIAL, delayed(BACKLOG_CHUNK, left));
		}
		LockSupport.parkNanos(due - System.nanoTime());
		System.out.println("DUE");
		System.out.flush();
		for (int i = 0; i < LATE && System.in.available() == 0; i++) {
			enqueue(Workload.SERIAL, delayed(1, Duration.ofMillis(1 + this.random.nextInt(LATE_MILLIS))));
			LockSupport.parkNanos(PAUSE);
		}
	}

	private List<JobRequest<Change>> delayed(int count, Duration delay) {
		return Stream
			.generate(() -> Workload.delayed(Workload.number(this.settings.number("producer"), this.sequence++),
					this.settings.number("shards"), delay))
			.limit(count)
			.toList();
	}

	/** Has no id and payload twice: of these, one might be acknowledged and one not. */
	private List<JobRequest<Change>> chunk(String queue, int most) {
		String kind = this.settings.text("kind");
		boolean burst = kind.equals("mixed") && this.random.nextInt(BURSTS) == 0;
		int size = (this.random.nextInt(10) == 0) ? 1 : most;
		Map<Long, JobRequest<Change>> requests = new LinkedHashMap<>();
		for (int i = 0; i < size; i++) {
			long number = Workload.number(this.settings.number("producer"), this.sequence++);
			JobRequest<Change> request = burst ? Workload.burst(queue, number, this.random)
					: Workload.next(queue, number, this.settings.number("ids"), kind, this.random);
			requests.putIfAbsent(request.payload().number(), request);
		}
		return new ArrayList<>(requests.values());
	}

	private void enqueue(String queue, List<JobRequest<Change>> requests) {
		while (true) {
			this.history.write(requests.stream()
				.map((request) -> new Event.EnqueueCalled(System.nanoTime(), queue, request.id(),
						request.payload().number(), request.score() == null, delay(request)))
				.toArray(Event[]::new));
			this.history.write(requests.stream().flatMap(ProducerProgram::steps).toArray(Event[]::new));
			try {
				this.client.enqueueAll(queue, requests);
				this.history.write(requests.stream()
					.map((request) -> new Event.EnqueueReturned(System.nanoTime(), request.payload().number()))
					.toArray(Event[]::new));
				return;
			}
			catch (StoreException ex) {
				LockSupport.parkNanos(PAUSE);
			}
		}
	}

	/** The steps of a chain, each with the payload before it. */
	private static Stream<Event> steps(JobRequest<Change> request) {
		List<Event> steps = new ArrayList<>();
		long before = request.payload().number();
		for (JobRequest.Step step = request.next(); step != null; step = step.request().next()) {
			long number = ((Change) step.request().payload()).number();
			steps.add(new Event.StepNamed(System.nanoTime(), before, number, step.queue(), step.request().id()));
			before = number;
		}
		return steps.stream();
	}

	private static long delay(JobRequest<Change> request) {
		Duration delay = request.performIn();
		return (delay != null) ? delay.toMillis() : 0;
	}

}
