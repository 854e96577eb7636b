package io.lowkiq.engine.perform;

import java.time.Instant;
import java.util.List;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

import io.lowkiq.Batch;
import io.lowkiq.LowkiqClient;
import io.lowkiq.PerformContext;

/** The run in progress on each performing thread. */
public final class ThreadPerformContext implements PerformContext {

	/** Written and read by the performing thread only. */
	@SuppressWarnings("ThreadLocalUsage") // one instance a server, no static state
	private final ThreadLocal<@Nullable Running> running = new ThreadLocal<>();

	private final FollowUpClients clients;

	/** A context in which nothing can be enqueued on success. */
	public ThreadPerformContext() {
		this((keep) -> {
			throw new UnsupportedOperationException("This server has no client, so nothing can be enqueued on success");
		});
	}

	public ThreadPerformContext(FollowUpClients clients) {
		this.clients = clients;
	}

	@Override
	public long fencingToken() {
		return current().batch().fencingToken();
	}

	@Override
	public int retryCount() {
		return current().batch().readable().get(0).retryCount();
	}

	@Override
	public Instant performAt() {
		return current().batch().readable().get(0).performAt();
	}

	/** By the clock of the store, and not before the performAt. */
	public Instant fetchedAt() {
		ReadableJob first = current().batch().readable().get(0);
		return first.performAt().plus(first.dueFor());
	}

	@Override
	public boolean isLeaseLost() {
		return current().batch().isLeaseLost();
	}

	@Override
	public boolean newerWaiting() {
		return current().newerWaiting().getAsBoolean();
	}

	@Override
	public void completed(int payloads) {
		Running current = current();
		if (!current.list()) {
			throw new IllegalStateException(
					"Only a Worker, which gets a list of payloads, can complete the first ones");
		}
		current.batch().readable().get(0).completed(payloads);
	}

	@Override
	public LowkiqClient onSuccess() {
		List<ReadableJob> jobs = current().batch().readable();
		if (jobs.size() > 1) {
			throw new IllegalStateException("A BatchWorker has to name the job that something follows");
		}
		return onSuccess(jobs.get(0));
	}

	@Override
	public LowkiqClient onSuccess(Batch.Job<?> job) {
		if (job instanceof ReadableJob readable && current().batch().readable().contains(readable)) {
			return this.clients.keeping(readable.followUps()::add);
		}
		throw new IllegalArgumentException("This thread does not perform that job");
	}

	/** The thread begins to perform. */
	void begin(ReadableBatch batch, boolean list, BooleanSupplier newerWaiting) {
		this.running.set(new Running(batch, list, newerWaiting));
	}

	void end() {
		this.running.remove();
	}

	private Running current() {
		Running current = this.running.get();
		if (current == null) {
			throw new IllegalStateException("This thread is not performing a job");
		}
		return current;
	}

	private record Running(ReadableBatch batch, boolean list, BooleanSupplier newerWaiting) {
	}

}
