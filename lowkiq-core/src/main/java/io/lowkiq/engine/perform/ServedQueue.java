package io.lowkiq.engine.perform;

import java.util.Objects;

import io.lowkiq.BatchWorker;
import io.lowkiq.GroupPolicy;
import io.lowkiq.QueueWorker;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.internal.InternalQueue;
import io.lowkiq.store.Gathering;
import org.jspecify.annotations.Nullable;

/**
 * A queue that this node serves; its worker is asked for when the first job is performed.
 */
public final class ServedQueue {

	private final RegisteredWorker worker;

	private final FetchSize fetchSize;

	private final int batchSize;

	private final PerformTimes times = new PerformTimes();

	/** Written by threads of operators, read by all. */
	private volatile boolean stopped;

	private final GroupWaits groupWaits = new GroupWaits();

	/**
	 * Why the queue is left to another application; null if this node serves it. Written
	 * by both threads of the membership and by threads of operators, read by all.
	 */
	private volatile @Nullable String whyLeft;

	public ServedQueue(RegisteredWorker worker, int fetchAhead) {
		this.worker = worker;
		this.batchSize = BatchWorker.class.isAssignableFrom(worker.workerClass()) ? worker.settings().batchSize() : 1;
		this.fetchSize = new FetchSize(this.batchSize, fetchAhead);
	}

	public String name() {
		return this.worker.queue();
	}

	public RegisteredWorker worker() {
		return this.worker;
	}

	/** Whether this node is not to serve the queue for now. */
	public boolean isStopped() {
		return this.stopped || this.whyLeft != null;
	}

	public boolean stop(boolean stop) {
		boolean changed = this.stopped != stop;
		this.stopped = stop;
		return changed;
	}

	/** Why the queue is left to another application; null if this node serves it. */
	public @Nullable String whyLeft() {
		return this.whyLeft;
	}

	/** Leaves the queue to another application; null takes it over. */
	public void leave(@Nullable String why) {
		this.whyLeft = why;
	}

	/** Whether the queue is, or is kept for, a queue of the application. */
	public boolean belongsTo(String queue) {
		return (this.worker.isInternal() ? InternalQueue.ownerOf(name()) : name()).equals(queue);
	}

	/** How payloads gather in the shards of the queue. */
	public Gathering gathering() {
		return new Gathering(this.worker.settings().gathering(), this.worker.settings().maxPayloads());
	}

	public GroupPolicy groups() {
		return this.worker.settings().groups();
	}

	public GroupWaits groupWaits() {
		return this.groupWaits;
	}

	public int batchSize() {
		return this.batchSize;
	}

	/** The number of jobs to fetch by one call, at least a batch, by the last runs. */
	public int nextFetch(int last) {
		return this.fetchSize.next(last);
	}

	/** The mean run time of a job lately, in nanoseconds; 0 before the first. */
	public double meanRunTime() {
		return this.fetchSize.average();
	}

	public PerformTimes times() {
		return this.times;
	}

	FetchSize fetchSize() {
		return this.fetchSize;
	}

	/** The worker for one run; a prototype is another one each time. */
	QueueWorker<?> bean() {
		return Objects.requireNonNull(this.worker.worker().get(), "There is no worker bean");
	}

}
