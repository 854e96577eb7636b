package io.lowkiq.testing;

import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;

import io.lowkiq.admin.KeptJobs;
import io.lowkiq.admin.Outbox;
import io.lowkiq.admin.OutboxStatus;
import io.lowkiq.admin.UnsentJob;
import io.lowkiq.store.job.Shard;
import org.jspecify.annotations.Nullable;

/** An outbox without a database. Thread-safe. */
public final class TestOutbox implements Outbox {

	private final List<UnsentJob> aside = new CopyOnWriteArrayList<>();

	private final List<Long> sentAgain = new CopyOnWriteArrayList<>();

	private final List<String> dropped = new CopyOnWriteArrayList<>();

	private volatile Map<String, String> waiting = Map.of();

	private volatile @Nullable String problem;

	private volatile @Nullable KeptJobs kept;

	private volatile List<Instant> resentKept = List.of();

	/** Puts a job aside. */
	public void putAside(UnsentJob job) {
		this.aside.add(job);
	}

	/** Lets something wait. */
	public void waiting(Map<String, String> parts) {
		this.waiting = parts;
	}

	/**
	 * Stops sending.
	 * @param why why nothing can be sent; null if something can
	 */
	public void problem(@Nullable String why) {
		this.problem = why;
	}

	/** The jobs that were sent again. */
	public List<Long> sentAgain() {
		return List.copyOf(this.sentAgain);
	}

	@Override
	public OutboxStatus status(int limit) {
		return new OutboxStatus(this.problem, this.waiting, this.waiting.size(),
				this.waiting.isEmpty() ? null : Instant.ofEpochMilli(7), this.aside.size(),
				this.aside.stream().limit(limit).toList(), this.kept);
	}

	@Override
	public Optional<UnsentJob> find(long sequence) {
		return this.aside.stream().filter((job) -> job.sequence() == sequence).findFirst();
	}

	@Override
	public boolean sendAgain(long sequence) {
		return drop(sequence) && this.sentAgain.add(sequence);
	}

	@Override
	public boolean drop(long sequence) {
		return this.aside.removeIf((job) -> job.sequence() == sequence);
	}

	/**
	 * Keeps jobs that were sent.
	 * @param jobs the jobs; null to keep none
	 */
	public void keep(@Nullable KeptJobs jobs) {
		this.kept = jobs;
	}

	/** From when to when kept jobs were last sent again. */
	public List<Instant> resentKept() {
		return this.resentKept;
	}

	/** The jobs whose kept rows were dropped. */
	public List<String> dropped() {
		return List.copyOf(this.dropped);
	}

	@Override
	public Map<String, Long> erase(@Nullable String queue, String id) {
		return erase((job) -> job.id().equals(id) && (queue == null || queue.equals(job.queue())));
	}

	@Override
	public Map<String, Long> erasePrefix(String prefix) {
		return erase((job) -> job.id().startsWith(prefix));
	}

	private Map<String, Long> erase(Predicate<UnsentJob> which) {
		Map<String, Long> erased = new TreeMap<>();
		this.aside.removeIf((job) -> {
			boolean isIt = which.test(job);
			if (isIt) {
				erased.merge(job.queue(), 1L, Long::sum);
			}
			return isIt;
		});
		return erased;
	}

	@Override
	public void dropKept(Shard shard, Collection<String> ids) {
		this.dropped.addAll(ids);
	}

	@Override
	public long resendKept(Instant from, Instant to) {
		this.resentKept = List.of(from, to);
		KeptJobs jobs = this.kept;
		return (jobs != null) ? jobs.jobs() : 0;
	}

}
