package io.lowkiq.test;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

import org.assertj.core.api.AssertProvider;

/**
 * The dead jobs of a queue, at the time of the call. Pass it to AssertJ's
 * {@code assertThat}. Immutable.
 */
public final class MorgueJobs implements AssertProvider<MorgueAssert> {

	private final String queue;

	private final List<StoredJob> jobs;

	private final Instant now;

	MorgueJobs(String queue, List<StoredJob> jobs, Instant now) {
		this.queue = queue;
		this.jobs = jobs;
		this.now = now;
	}

	/**
	 * The queue's name.
	 * @return the name
	 */
	public String queue() {
		return this.queue;
	}

	/**
	 * The jobs.
	 * @return the jobs, the longest dead first; not modifiable
	 */
	public List<StoredJob> jobs() {
		return this.jobs;
	}

	/**
	 * The dead job of an id.
	 * @param id the id
	 * @return the job
	 */
	public Optional<StoredJob> find(String id) {
		return QueueJobs.find(this.jobs, id);
	}

	Instant now() {
		return this.now;
	}

	@Override
	public MorgueAssert assertThat() {
		return new MorgueAssert(this);
	}

	@Override
	public String toString() {
		return QueueJobs.describeMorgue(this.queue, this.jobs, this.now);
	}

}
