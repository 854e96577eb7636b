package io.lowkiq.test;

import java.time.Instant;

import io.lowkiq.Batch;
import io.lowkiq.LowkiqClient;
import io.lowkiq.PerformContext;
import org.jspecify.annotations.Nullable;

/**
 * A {@link PerformContext} for plain unit tests of a worker: of a fresh job, under a
 * valid lease with the fencing token 1, until the test says otherwise. Thread-safe.
 */
public final class TestPerformContext implements PerformContext {

	private volatile long fencingToken = 1;

	private volatile int retryCount = -1;

	private volatile Instant performAt = Instant.now();

	private volatile boolean leaseLost;

	private volatile boolean newerWaiting;

	private volatile int completed;

	private volatile @Nullable LowkiqClient followUps;

	@Override
	public long fencingToken() {
		return this.fencingToken;
	}

	@Override
	public int retryCount() {
		return this.retryCount;
	}

	@Override
	public Instant performAt() {
		return this.performAt;
	}

	@Override
	public boolean isLeaseLost() {
		return this.leaseLost;
	}

	@Override
	public boolean newerWaiting() {
		return this.newerWaiting;
	}

	@Override
	public void completed(int payloads) {
		if (payloads < 0) {
			throw new IllegalArgumentException("%s payloads can't be completed".formatted(payloads));
		}
		this.completed = payloads;
	}

	/**
	 * How many payloads the worker has said are done.
	 * @return what the worker last gave to {@link #completed(int)}; 0 if it didn't
	 */
	public int completed() {
		return this.completed;
	}

	@Override
	public LowkiqClient onSuccess() {
		LowkiqClient given = this.followUps;
		if (given == null) {
			throw new IllegalStateException("The worker enqueues on success: give followUps(…) a client");
		}
		return given;
	}

	@Override
	public LowkiqClient onSuccess(Batch.Job<?> job) {
		return onSuccess();
	}

	/**
	 * Sets what the worker enqueues with on success.
	 * @param client the client, for instance a mock
	 * @return this context
	 */
	public TestPerformContext followUps(LowkiqClient client) {
		this.followUps = client;
		return this;
	}

	/**
	 * Sets whether newer payloads of the id wait.
	 * @param waiting whether they do
	 * @return this context
	 */
	public TestPerformContext newerWaiting(boolean waiting) {
		this.newerWaiting = waiting;
		return this;
	}

	/**
	 * Sets the fencing token: a larger one stands for a newer owner of the shard.
	 * @param token the token, positive
	 * @return this context
	 */
	public TestPerformContext fencingToken(long token) {
		if (token < 1) {
			throw new IllegalArgumentException("A fencing token is positive, not %s".formatted(token));
		}
		this.fencingToken = token;
		return this;
	}

	/**
	 * Sets how often the job has failed, less one.
	 * @param count -1 for a fresh job, 0 after the first failure
	 * @return this context
	 */
	public TestPerformContext retryCount(int count) {
		if (count < -1) {
			throw new IllegalArgumentException("A retry count is at least -1, not %s".formatted(count));
		}
		this.retryCount = count;
		return this;
	}

	/**
	 * Sets the time at which the job became due.
	 * @param time the time; by default that at which this context was made
	 * @return this context
	 */
	public TestPerformContext performAt(Instant time) {
		this.performAt = time;
		return this;
	}

	/**
	 * Sets whether the lease has run out.
	 * @param lost whether another node may perform the same id by now
	 * @return this context
	 */
	public TestPerformContext leaseLost(boolean lost) {
		this.leaseLost = lost;
		return this;
	}

}
