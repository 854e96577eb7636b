package io.lowkiq.reliability.program;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongPredicate;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

import io.lowkiq.JobRequest;
import io.lowkiq.LowkiqClient;
import io.lowkiq.StoreException;
import io.lowkiq.reliability.history.Event;
import io.lowkiq.reliability.history.EventLog;

/**
 * A careful application: it enqueues in order, and repeats what was not acknowledged. For
 * one thread.
 */
public final class Producer {

	private static final int CHUNK = 20;

	/** One chunk of so many is a burst, and one a flood. */
	private static final int BURSTS = 50;

	private static final long PAUSE = 20_000_000L;

	private final LowkiqClient client;

	private final EventLog history;

	private final Surroundings surroundings;

	private final RandomGenerator random;

	private final int producer;

	private final int ids;

	private final String kind;

	private LongPredicate enqueued = (number) -> true;

	private long sequence;

	/** A producer. */
	public Producer(LowkiqClient client, EventLog history, Surroundings surroundings, RandomGenerator random,
			int producer, int ids, String kind) {
		this.client = client;
		this.history = history;
		this.surroundings = surroundings;
		this.random = random;
		this.producer = producer;
		this.ids = ids;
		this.kind = kind;
	}

	/** Enqueues only some of the payloads that are drawn. */
	public void only(LongPredicate numbers) {
		this.enqueued = numbers;
	}

	/**
	 * Enqueues the next payloads of a queue, until they are acknowledged.
	 * @param most how many at most
	 */
	public long enqueueNext(long most) throws InterruptedException {
		List<String> queues = this.kind.equals("mixed") ? Workload.QUEUES : Workload.PLAIN_QUEUES;
		String queue = queues.get(this.random.nextInt(queues.size()));
		enqueue(queue, chunk(queue, (int) Math.min(most, CHUNK)));
		return this.sequence;
	}

	/**
	 * Enqueues jobs of one shard, each of an id of its own, until they are acknowledged.
	 */
	public long enqueueDelayed(int count, int shards, Duration delay) throws InterruptedException {
		enqueue(Workload.SERIAL,
				Stream.generate(() -> Workload.delayed(Workload.number(this.producer, this.sequence++), shards, delay))
					.limit(count)
					.toList());
		return this.sequence;
	}

	/** Has no id and payload twice: of these, one might be acknowledged and one not. */
	private List<JobRequest<Change>> chunk(String queue, int most) {
		int draw = this.kind.equals("mixed") ? this.random.nextInt(BURSTS) : BURSTS;
		int size = (this.random.nextInt(10) == 0) ? 1 : most;
		Map<Long, JobRequest<Change>> requests = new LinkedHashMap<>();
		for (int i = 0; i < size; i++) {
			long number = Workload.number(this.producer, this.sequence++);
			JobRequest<Change> request = switch (draw) {
				case 0 -> Workload.burst(queue, number, this.random);
				case 1 -> Workload.flood(number);
				default -> Workload.next(queue, number, this.ids, this.kind, this.random);
			};
			if (this.enqueued.test(number)) {
				requests.putIfAbsent(request.payload().number(), request);
			}
		}
		return new ArrayList<>(requests.values());
	}

	private void enqueue(String queue, List<JobRequest<Change>> requests) throws InterruptedException {
		while (!requests.isEmpty()) {
			this.history.write(requests.stream()
				.map((request) -> new Event.EnqueueCalled(this.surroundings.nanoTime(), queue, request.id(),
						request.payload().number(), request.score() == null, delay(request)))
				.toArray(Event[]::new));
			this.history.write(requests.stream().flatMap(this::steps).toArray(Event[]::new));
			try {
				this.client.enqueueAll(queue, requests);
				this.history.write(requests.stream()
					.map((request) -> new Event.EnqueueReturned(this.surroundings.nanoTime(),
							request.payload().number()))
					.toArray(Event[]::new));
				return;
			}
			catch (StoreException ex) {
				this.surroundings.sleep(PAUSE);
			}
		}
	}

	/** The steps of a chain, each with the payload before it. */
	private Stream<Event> steps(JobRequest<Change> request) {
		List<Event> steps = new ArrayList<>();
		long before = request.payload().number();
		for (JobRequest.Step step = request.next(); step != null; step = step.request().next()) {
			long number = ((Change) step.request().payload()).number();
			steps.add(new Event.StepNamed(this.surroundings.nanoTime(), before, number, step.queue(),
					step.request().id()));
			before = number;
		}
		return steps.stream();
	}

	private static long delay(JobRequest<Change> request) {
		Duration delay = request.performIn();
		return (delay != null) ? delay.toMillis() : 0;
	}

}
