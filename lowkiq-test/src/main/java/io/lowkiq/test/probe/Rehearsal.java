package io.lowkiq.test.probe;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.function.Supplier;

import io.lowkiq.Batch;
import io.lowkiq.BatchWorker;
import io.lowkiq.PayloadWorker;
import io.lowkiq.QueueWorker;
import io.lowkiq.Worker;
import io.lowkiq.internal.DurationText;
import io.lowkiq.test.TestBatch;
import org.jspecify.annotations.Nullable;

/** Performs payloads by one schedule. */
final class Rehearsal<P> {

	/** How often a run that throws is attempted, as in production. */
	private static final int ATTEMPTS = 3;

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private final Stage stage;

	private final Supplier<? extends QueueWorker<P>> workers;

	private final String id;

	private final @Nullable Disturbance disturbance;

	private final List<List<P>> deliveries;

	/** How long a newer owner is waited for that may wait for a lock of the older one. */
	private final Duration lockPatience;

	private final List<String> trace = Collections.synchronizedList(new ArrayList<>());

	private final List<Integer> calls = new ArrayList<>();

	private QueueWorker<P> worker;

	private long token = 1;

	private boolean disturbed;

	private @Nullable Thread newerThread;

	/** Whether a run returned normally though a call had failed. */
	private boolean hidden;

	/** Whether payloads that are completed come again all the same. */
	private final boolean forgetful;

	/** How many payloads the last attempt had completed when it failed. */
	private int completed;

	/** Whether payloads were not performed again because they were completed. */
	private boolean spared;

	/** Written by the thread of the newer owner, read after it has ended. */
	private volatile @Nullable Throwable failure;

	Rehearsal(Stage stage, Supplier<? extends QueueWorker<P>> workers, String id, Schedule schedule, List<P> payloads,
			Duration lockPatience, boolean forgetful) {
		this.forgetful = forgetful;
		this.stage = stage;
		this.workers = workers;
		this.id = id;
		this.disturbance = schedule.disturbance();
		this.deliveries = schedule.deliveries(payloads);
		this.lockPatience = lockPatience;
		this.worker = workers.get();
	}

	/** The events, a line each. */
	List<String> trace() {
		return List.copyOf(this.trace);
	}

	/** How many calls of repositories each delivery made. */
	List<Integer> calls() {
		return this.calls;
	}

	/** Why the payloads can't be performed; null if they were. */
	@Nullable Throwable failure() {
		return this.failure;
	}

	boolean isDisturbed() {
		return this.disturbed;
	}

	boolean isHidden() {
		return this.hidden;
	}

	boolean isSpared() {
		return this.spared;
	}

	void run() {
		int next = 0;
		while (next < this.deliveries.size() && this.failure == null) {
			Disturbance here = this.disturbance;
			if (here != null && here.delivery() == next + 1) {
				next = disturbed(next, here);
			}
			else {
				perform(this.worker, this.deliveries.get(next), this.token, 0);
				next++;
			}
		}
	}

	/** Returns which delivery comes next. */
	private int disturbed(int index, Disturbance what) {
		List<P> delivery = this.deliveries.get(index);
		List<P> again = what.merged() ? merged(index) : delivery;
		int next = index + (what.merged() ? 2 : 1);
		switch (what.kind()) {
			case TWICE -> {
				perform(this.worker, delivery, this.token, 0);
				this.disturbed = true;
				this.trace.add("  (the node dies before it can report that, and another one takes over)");
				this.worker = this.workers.get();
				this.token++;
				perform(this.worker, again, this.token, 0);
			}
			case CRASH -> {
				attempt(this.worker, delivery, this.token, 0, what, () -> {
				});
				this.trace.add("  (another node takes over)");
				this.worker = this.workers.get();
				this.token++;
				perform(this.worker, again, this.token, 0);
			}
			case ERROR -> {
				Throwable thrown = attempt(this.worker, delivery, this.token, 0, what, () -> {
				});
				if (thrown != null) {
					perform(this.worker, withoutCompleted(again), this.token, 1);
				}
				else {
					this.hidden = true;
					return index + 1;
				}
			}
			case LATE -> {
				long newer = ++this.token;
				attempt(this.worker, delivery, newer - 1, 0, what, () -> performAsNewer(again, next, newer));
				return this.deliveries.size();
			}
		}
		return next;
	}

	private List<P> merged(int index) {
		List<P> merged = new ArrayList<>(this.deliveries.get(index));
		merged.addAll(this.deliveries.get(index + 1));
		return merged;
	}

	/**
	 * On a thread of its own, so that transactions are its own, too. If it waits for a
	 * lock of the older owner, that goes on first.
	 */
	private void performAsNewer(List<P> again, int next, long newer) {
		QueueWorker<P> other = this.workers.get();
		Thread thread = new Thread(() -> {
			try {
				perform(other, again, newer, 0);
				for (int i = next; i < this.deliveries.size() && this.failure == null; i++) {
					perform(other, this.deliveries.get(i), newer, 0);
				}
			}
			catch (Throwable ex) {
				this.failure = ex;
			}
		}, "lowkiq-probe-newer-owner");
		thread.setDaemon(true);
		thread.start();
		join(thread, this.lockPatience);
		this.newerThread = thread;
	}

	private static void join(Thread thread, Duration patience) {
		try {
			thread.join(patience.toMillis());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while a newer owner was performing", ex);
		}
	}

	/** Performs until it succeeds, with a few attempts. */
	private void perform(QueueWorker<P> performing, List<P> payloads, long withToken, int failures) {
		Throwable thrown = null;
		List<P> left = payloads;
		for (int attempt = 0; attempt < ATTEMPTS && !left.isEmpty(); attempt++) {
			thrown = attempt(performing, left, withToken, failures + attempt, null, () -> {
			});
			if (thrown == null) {
				return;
			}
			left = withoutCompleted(left);
		}
		this.failure = left.isEmpty() ? null : thrown;
	}

	/** The payloads that come again after a failed attempt. */
	private List<P> withoutCompleted(List<P> payloads) {
		int gone = this.forgetful ? 0 : this.completed;
		if (gone > 0) {
			this.spared = true;
			this.trace.add("  (%s completed payloads are not performed again)".formatted(gone));
		}
		return payloads.subList(gone, payloads.size());
	}

	private @Nullable Throwable attempt(QueueWorker<P> performing, List<P> payloads, long withToken, int failures,
			@Nullable Disturbance what, Runnable newer) {
		this.trace.add("  perform%s under token %s: %s".formatted((failures > 0) ? " again" : "", withToken,
				Text.of(payloads)));
		Perform perform = new Perform(withToken, failures - 1, what, newer, this.trace);
		Throwable thrown = this.stage.run(perform, () -> call(performing, payloads, withToken, failures - 1, perform));
		this.calls.add(perform.calls());
		this.completed = Math.min(perform.completed(), payloads.size());
		this.disturbed |= perform.isDisturbed();
		this.trace.add((thrown != null) ? "  threw " + thrown : "  returned");
		Thread other = this.newerThread;
		if (what != null && other != null) {
			join(other, PATIENCE);
			if (other.isAlive()) {
				throw new IllegalStateException(
						"The newer owner has been performing for %s".formatted(DurationText.of(PATIENCE)));
			}
		}
		return thrown;
	}

	private @Nullable Throwable call(QueueWorker<P> performing, List<P> payloads, long withToken, int retryCount,
			Perform perform) {
		List<P> copy = List.copyOf(payloads);
		try {
			if (performing instanceof Worker<P> single) {
				single.perform(this.id, copy);
				return null;
			}
			if (performing instanceof BatchWorker<P> batches) {
				List<Double> scores = new ArrayList<>();
				copy.forEach((payload) -> scores.add(scores.size() + 1.0));
				TestBatch<P> batch = TestBatch.<P>builder()
					.job(this.id, retryCount, copy, scores)
					.fencingToken(withToken)
					.build();
				return batch.performedBy((given) -> batches.perform(new LeasedBatch<>(given, perform)))
					.failed()
					.get(this.id);
			}
			if (performing instanceof PayloadWorker<P> each) {
				for (P payload : copy) {
					each.perform(this.id, payload);
				}
				return null;
			}
			throw new IllegalStateException("%s is not a worker that can be probed".formatted(performing.getClass()));
		}
		catch (Throwable ex) {
			return ex;
		}
	}

	/** A batch whose lease may be lost while it is performed. */
	private record LeasedBatch<P>(Batch<P> batch, Perform perform) implements Batch<P> {

		@Override
		public List<Job<P>> jobs() {
			return this.batch.jobs();
		}

		@Override
		public Iterator<Job<P>> iterator() {
			return this.batch.iterator();
		}

		@Override
		public long fencingToken() {
			return this.batch.fencingToken();
		}

		@Override
		public boolean isLeaseLost() {
			return this.perform.isLeaseLost();
		}

	}

}
