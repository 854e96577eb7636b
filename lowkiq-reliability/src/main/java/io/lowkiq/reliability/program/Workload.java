package io.lowkiq.reliability.program;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;

import io.lowkiq.Batch;
import io.lowkiq.BatchWorker;
import io.lowkiq.JobRequest;
import io.lowkiq.QueueWorker;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.Worker;
import io.lowkiq.WorkerRegistry;

/**
 * The queues of a chaos run: three for single jobs and one for batches.
 */
public final class Workload {

	/** How many retries a payload has before it goes to the morgue. */
	public static final int MAX_RETRY_COUNT = 4;

	/** How long each retry waits. */
	public static final Duration RETRY_DELAY = Duration.ofMillis(300);

	/** The names of the queues; the last one has a worker for batches. */
	public static final List<String> QUEUES = List.of("orders", "prices", "stock", "letters");

	private static final int BATCH = 5;

	private static final long PRODUCER = 1_000_000_000L;

	private Workload() {
	}

	/**
	 * The workers of the queues. What they do is decided by the {@link PerformRecorder}
	 * around them.
	 * @param shards the number of shards of each queue
	 * @return the workers
	 */
	public static WorkerRegistry workers(int shards) {
		return new WorkerRegistry(QUEUES.stream().map((queue) -> worker(queue, shards)).toList());
	}

	private static RegisteredWorker worker(String queue, int shards) {
		boolean batches = queue.equals(QUEUES.get(QUEUES.size() - 1));
		QueueWorker<Change> worker = batches ? new Letters() : new Changes();
		return new RegisteredWorker(queue, worker.getClass(), Change.class,
				new RegisteredWorker.Settings(shards, batches ? BATCH : 1, MAX_RETRY_COUNT, 10_000, 1, 0),
				() -> worker);
	}

	/**
	 * The number of a payload.
	 * @param producer the number of the producer
	 * @param sequence counts the payloads of the producer
	 * @return a number that no other payload has
	 */
	static long number(int producer, long sequence) {
		return producer * PRODUCER + sequence;
	}

	/**
	 * Makes up the next payload. Ids are shared by all producers; half of them have
	 * default scores, the others a version.
	 * @param number the payload's number
	 * @param ids the number of ids of a queue
	 * @param kind {@code bad} if some payloads shall always fail, {@code poison} if all
	 * shall kill their JVM
	 * @param random decides
	 * @return the request
	 */
	static JobRequest<Change> next(long number, int ids, String kind, Random random) {
		if (kind.equals("poison")) {
			return JobRequest.of("poison-" + number, new Change(number, Change.Kind.POISON));
		}
		if (kind.equals("bad") && random.nextInt(2_000) == 0) {
			return JobRequest.of("bad-" + number, new Change(number, Change.Kind.BAD));
		}
		int id = random.nextInt(ids);
		var request = JobRequest.of("id-" + id, new Change(number, Change.Kind.PLAIN));
		return (id % 2 == 0) ? request : request.score((double) (number % PRODUCER));
	}

	/**
	 * Works for a while: most often hardly at all, now and then longer than a lease.
	 */
	static void work() throws InterruptedException {
		int draw = ThreadLocalRandom.current().nextInt(10_000);
		if (draw < 3) {
			Thread.sleep(2_500);
		}
		else if (draw < 200) {
			Thread.sleep(20);
		}
	}

	private static final class Changes implements Worker<Change> {

		@Override
		public void perform(String id, List<Change> payloads) throws InterruptedException {
			work();
		}

		@Override
		public Duration retryIn(int retryCount) {
			return RETRY_DELAY;
		}

	}

	private static final class Letters implements BatchWorker<Change> {

		@Override
		public void perform(Batch<Change> batch) throws InterruptedException {
			work();
		}

		@Override
		public Duration retryIn(int retryCount) {
			return RETRY_DELAY;
		}

	}

}
