package io.lowkiq.reliability.program;

import java.time.Duration;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lowkiq.Batch;
import io.lowkiq.BatchWorker;
import io.lowkiq.FailurePolicy;
import io.lowkiq.GatheringPolicy;
import io.lowkiq.JobRequest;
import io.lowkiq.PayloadWorker;
import io.lowkiq.QueueWorker;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.RetriesExhausted;
import io.lowkiq.Worker;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.store.QueueLayout;

/**
 * The queues of a chaos run. Between them, they have every policy. Three are for single
 * jobs: one retries as soon as a newer payload comes, one says how far it got when it
 * fails, and one performs no more than one id of a shard at a time and buries all
 * payloads that failed together. One is for batches, and marks each payload. Only mixed
 * producers use the other three: one for payloads that come one by one, and two for the
 * gathering of payloads.
 */
public final class Workload {

	/** How many retries a payload has before it goes to the morgue. */
	public static final int MAX_RETRY_COUNT = 4;

	/** How long each retry waits. */
	public static final Duration RETRY_DELAY = Duration.ofMillis(300);

	/**
	 * Its worker gets one payload at a time, and holds a job whose retries are used up.
	 */
	static final String PAYLOADS = "bookings";

	/** Its ids wait until they are quiet; the latest of equal payloads counts. */
	private static final String QUIET = "search";

	/** Only the latest payload is kept, and runs of an id keep their distance. */
	private static final String LATEST = "quotes";

	/** Its worker says how far it got. */
	static final String LISTS = "prices";

	/** Its worker marks each payload. */
	static final String BATCHES = "letters";

	/** A newer payload makes its retries due. */
	private static final String EAGER = "orders";

	/** Its ids are performed one at a time. What fails there is buried as a whole. */
	static final String SERIAL = "stock";

	/** The names of the queues that all producers use. */
	static final List<String> PLAIN_QUEUES = List.of(EAGER, LISTS, SERIAL, BATCHES);

	/** The names of the queues. */
	public static final List<String> QUEUES = Stream.concat(PLAIN_QUEUES.stream(), Stream.of(PAYLOADS, QUIET, LATEST))
		.toList();

	/** The prefix of ids that operators delete, hurry and take out of the morgue. */
	public static final String OPERATED = "op-";

	/** The prefix of ids that are enqueued once, to be performed after a delay. */
	public static final String DELAYED = "delayed-";

	/** The prefix of ids that get the same payload again and again. */
	public static final String EQUAL = "equal-";

	/** The prefix of ids for which a producer has two payloads. */
	private static final String SWITCH = "switch-";

	/** The prefix of the ids of a step that always fails. */
	private static final String BROKEN = "broken-";

	/** The queues that follow-ups go into: queues without gathering. */
	private static final List<String> FOLLOWING_QUEUES = Stream.concat(PLAIN_QUEUES.stream(), Stream.of(PAYLOADS))
		.toList();

	private static final int STEPS = 3;

	/** The numbers of the steps of a chain are so far apart. */
	private static final long STEP = 300_000_000L;

	private static final String SLOW = "slow-";

	/** The prefix of ids whose runs outlast an outage. */
	private static final String LONG = "long-";

	private static final String HOT = "hot-";

	private static final int BATCH = 5;

	private static final long MILLISECOND = 1_000_000;

	/** How many payloads of a thousand fail that come one by one. */
	private static final int FAILURES_IN_THOUSAND = 30;

	private static final int FEW_IDS = 5;

	private static final int OPERATED_IDS = 4 * FEW_IDS;

	private static final long PRODUCER = 1_000_000_000L;

	/** The numbers of payloads that are enqueued again and again begin here. */
	private static final long REPEATED = 900_000_000L;

	private Workload() {
	}

	/**
	 * The workers of the queues. What they do is decided by the {@link PerformRecorder}
	 * around them.
	 */
	public static WorkerRegistry workers(int shards) {
		return workers(shards, Surroundings.REAL);
	}

	/** The workers of the queues, in other surroundings. */
	public static WorkerRegistry workers(int shards, Surroundings surroundings) {
		return new WorkerRegistry(QUEUES.stream().map((queue) -> worker(queue, shards, surroundings)).toList());
	}

	private static RegisteredWorker worker(String queue, int shards, Surroundings surroundings) {
		boolean batches = queue.equals(BATCHES);
		QueueWorker<Change> worker = batches ? new Letters(surroundings)
				: queue.equals(PAYLOADS) ? new Bookings(surroundings) : new Changes(surroundings);
		RegisteredWorker.Settings settings = new RegisteredWorker.Settings(shards, batches ? BATCH : 1, MAX_RETRY_COUNT,
				10_000, 1, queue.equals(SERIAL) ? 1 : 0)
			.with(failures(queue))
			.with(gathering(queue));
		return new RegisteredWorker(queue, worker.getClass(), Change.class, settings, () -> worker);
	}

	private static FailurePolicy failures(String queue) {
		return switch (queue) {
			case PAYLOADS -> new FailurePolicy(Set.of(IllegalArgumentException.class),
					Set.of(NoSuchElementException.class), RetriesExhausted.HOLD, Duration.ofSeconds(2), Duration.ZERO);
			case SERIAL -> new FailurePolicy(Set.of(), Set.of(), RetriesExhausted.BURY_ALL,
					FailurePolicy.DEFAULT_UNREADABLE_GRACE, Duration.ZERO);
			default -> FailurePolicy.DEFAULT;
		};
	}

	private static GatheringPolicy gathering(String queue) {
		return switch (queue) {
			case EAGER -> new GatheringPolicy(Duration.ZERO, Duration.ZERO, Duration.ZERO, false, false, true);
			case QUIET ->
				new GatheringPolicy(Duration.ofMillis(200), Duration.ofMillis(600), Duration.ZERO, false, true, false);
			case LATEST ->
				new GatheringPolicy(Duration.ZERO, Duration.ZERO, Duration.ofMillis(500), true, false, false);
			default -> GatheringPolicy.NONE;
		};
	}

	/** The number of a payload. */
	static long number(int producer, long sequence) {
		return producer * PRODUCER + sequence;
	}

	/**
	 * Makes up the next payload.
	 * @param kind {@code plain} for ids that all producers share, half of them with
	 * default scores and half with a version; {@code mixed} for all sorts of ids and for
	 * chains, besides; {@code poison} if all shall kill their JVM
	 */
	static JobRequest<Change> next(String queue, long number, int ids, String kind, RandomGenerator random) {
		if (kind.equals("poison")) {
			return JobRequest.of("poison-" + number, new Change(number, Change.Kind.POISON));
		}
		int draw = kind.equals("mixed") ? random.nextInt(2_000) : Integer.MAX_VALUE;
		if (draw < 1) {
			return JobRequest.of("bad-" + number, new Change(number, Change.Kind.BAD));
		}
		if (draw == 1 && queue.equals(EAGER)) {
			return JobRequest.of(LONG + random.nextInt(2), new Change(number, Change.Kind.PLAIN));
		}
		if (draw < 3) {
			return JobRequest.of(SLOW + random.nextInt(FEW_IDS), new Change(number, Change.Kind.PLAIN));
		}
		if (draw < 20) {
			boolean bad = random.nextInt(FEW_IDS) == 0;
			return JobRequest.of(OPERATED + random.nextInt(OPERATED_IDS),
					new Change(number, bad ? Change.Kind.BAD : Change.Kind.PLAIN));
		}
		if (draw < 60) {
			return JobRequest.of(DELAYED + number, new Change(number, Change.Kind.PLAIN))
				.performIn(Duration.ofMillis(random.nextInt(8_000)));
		}
		if (draw < 100) {
			long repeated = number / PRODUCER * PRODUCER + REPEATED + 100L * QUEUES.indexOf(queue)
					+ random.nextInt(4 * FEW_IDS);
			return JobRequest.of(EQUAL + repeated, new Change(repeated, Change.Kind.PLAIN));
		}
		if (draw < 160 && queue.equals(QUIET)) {
			long turned = number / PRODUCER * PRODUCER + REPEATED + 10_000 + 2L * random.nextInt(8 * FEW_IDS);
			return JobRequest.of(SWITCH + turned, new Change(turned + number % 2, Change.Kind.PLAIN));
		}
		if (draw >= 160 && draw < 220 && FOLLOWING_QUEUES.contains(queue)) {
			return chain(queue, number, random);
		}
		// Fewer ids, so that payloads wait behind one that fails
		int id = random.nextInt(queue.equals(PAYLOADS) ? Math.max(1, ids / 5) : ids);
		Change.Kind made = kind.equals("mixed") ? kindOf(queue, random) : Change.Kind.PLAIN;
		var request = JobRequest.of("id-" + id, new Change(number, made));
		return (id % 2 == 0 || queue.equals(LATEST)) ? request : request.score((double) (number % PRODUCER));
	}

	/** Each step goes into any queue; some chains break at one. */
	private static JobRequest<Change> chain(String queue, long number, RandomGenerator random) {
		int broken = random.nextInt(3 * STEPS);
		JobRequest<Change> request = step(queue, number, broken == 0, random);
		for (int step = 1; step < STEPS; step++) {
			String next = followingQueue(random);
			request = request.then(next, step(next, number + step * STEP, broken == step, random));
		}
		return request;
	}

	private static JobRequest<Change> step(String queue, long number, boolean broken, RandomGenerator random) {
		// An operator would correct it
		if (broken && !queue.equals(PAYLOADS)) {
			return JobRequest.of(BROKEN + number, new Change(number, Change.Kind.BAD));
		}
		return JobRequest.of(followingId(random), new Change(number, Change.Kind.PLAIN));
	}

	/** Makes up what a worker enqueues on success. */
	static JobRequest<Change> followUp(String queue, long number, RandomGenerator random) {
		boolean followed = !queue.equals(PAYLOADS) && random.nextInt(FEW_IDS) == 0;
		return JobRequest.of(followingId(random),
				new Change(number, followed ? Change.Kind.FOLLOWED : Change.Kind.PLAIN));
	}

	/** A queue for what follows a job. */
	static String followingQueue(RandomGenerator random) {
		return FOLLOWING_QUEUES.get(random.nextInt(FOLLOWING_QUEUES.size()));
	}

	/** An id that all producers share, with the default scores. */
	private static String followingId(RandomGenerator random) {
		return "id-" + 2 * random.nextInt(6 * FEW_IDS);
	}

	private static Change.Kind kindOf(String queue, RandomGenerator random) {
		if (PLAIN_QUEUES.contains(queue) && random.nextInt(10) == 0) {
			return Change.Kind.FOLLOWED;
		}
		if (queue.equals(SERIAL) && random.nextInt(300) == 0) {
			return Change.Kind.BAD;
		}
		if (!queue.equals(PAYLOADS)) {
			return Change.Kind.PLAIN;
		}
		return switch (random.nextInt(100)) {
			case 0, 1 -> Change.Kind.BURIED;
			case 2, 3 -> Change.Kind.DISCARDED;
			case 4, 5, 6 -> Change.Kind.PUZZLE;
			case 7 -> Change.Kind.BAD;
			default -> Change.Kind.PLAIN;
		};
	}

	/** Makes up the next payload of a burst for a few ids. */
	static JobRequest<Change> burst(String queue, long number, RandomGenerator random) {
		int id = random.nextInt(FEW_IDS);
		var request = JobRequest.of(HOT + id, new Change(number, Change.Kind.PLAIN));
		return (id % 2 == 0 || queue.equals(LATEST)) ? request : request.score((double) (number % PRODUCER));
	}

	/** Makes up the next payload of a flood for the ids that operators deal with. */
	static JobRequest<Change> flood(long number) {
		return JobRequest.of(OPERATED + number % OPERATED_IDS, new Change(number, Change.Kind.PLAIN));
	}

	/**
	 * Makes up a job of an id of its own in the first shard of its queue, to be performed
	 * after a delay.
	 */
	static JobRequest<Change> delayed(long number, int shards, Duration delay) {
		QueueLayout layout = new QueueLayout(SERIAL, 1, shards);
		String id = IntStream.iterate(0, (i) -> i + 1)
			.mapToObj((i) -> DELAYED + number + "-" + i)
			.filter((one) -> layout.shardIndexOf(one) == 0)
			.findFirst()
			.orElseThrow();
		return JobRequest.of(id, new Change(number, Change.Kind.PLAIN)).performIn(delay);
	}

	/** An id that operators deal with. */
	static String operated(RandomGenerator random) {
		return OPERATED + random.nextInt(OPERATED_IDS);
	}

	/** All ids that operators deal with: a group, if there are groups. */
	static List<String> operated() {
		return IntStream.range(0, OPERATED_IDS).mapToObj((i) -> OPERATED + i).toList();
	}

	/** An id whose group has much to do, if there are groups. */
	static String grouped(RandomGenerator random) {
		List<String> ids = List.of(operated(random), "id-" + random.nextInt(12 * FEW_IDS),
				HOT + random.nextInt(FEW_IDS));
		return ids.get(random.nextInt(ids.size()));
	}

	/** A payload has failed, and those before it have not. */
	static final class PayloadFailure extends RuntimeException {

		private static final long serialVersionUID = 1L;

		private final transient Change payload;

		PayloadFailure(Change payload) {
			super("Fails as the test wants it");
			this.payload = payload;
		}

		Change payload() {
			return this.payload;
		}

	}

	/** Works for a while: most often hardly at all, now and then longer than a lease. */
	static void work(String id, Surroundings surroundings) throws InterruptedException {
		int draw = surroundings.random().nextInt(10_000);
		if (id.startsWith(SLOW)) {
			surroundings.sleep(MILLISECOND * (1_000 + draw % 3_000));
		}
		else if (id.startsWith(LONG)) {
			surroundings.sleep(MILLISECOND * 8_000);
		}
		else if (draw < 3) {
			surroundings.sleep(MILLISECOND * 2_500);
		}
		else if (draw < 200) {
			surroundings.sleep(MILLISECOND * 20);
		}
	}

	private record Changes(Surroundings surroundings) implements Worker<Change> {

		@Override
		public void perform(String id, List<Change> payloads) throws InterruptedException {
			work(id, this.surroundings);
		}

		@Override
		public Duration retryIn(int retryCount, Throwable error) {
			return RETRY_DELAY;
		}

	}

	/** Some payloads are buried, some discarded, and some fail. */
	private record Bookings(Surroundings surroundings) implements PayloadWorker<Change> {

		@Override
		public void perform(String id, Change payload) throws InterruptedException {
			work(id, this.surroundings);
			switch (payload.kind()) {
				case BURIED -> throw new IllegalArgumentException("Buried as the test wants it");
				case DISCARDED -> throw new NoSuchElementException("Discarded as the test wants it");
				case BAD -> throw new PayloadFailure(payload);
				default -> {
					if (this.surroundings.random().nextInt(1_000) < FAILURES_IN_THOUSAND) {
						throw new PayloadFailure(payload);
					}
				}
			}
		}

		@Override
		public Duration retryIn(int retryCount, Throwable error) {
			return RETRY_DELAY;
		}

	}

	private record Letters(Surroundings surroundings) implements BatchWorker<Change> {

		@Override
		public void perform(Batch<Change> batch) throws InterruptedException {
			work(batch.jobs().get(0).id(), this.surroundings);
		}

		@Override
		public Duration retryIn(int retryCount, Throwable error) {
			return RETRY_DELAY;
		}

	}

}
