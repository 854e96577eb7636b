package io.lowkiq.admin;

import java.util.List;
import java.util.Optional;

import io.lowkiq.store.inspection.JobView;

/**
 * The report on an id: its jobs, and their status.
 *
 * @param queue the queue's name
 * @param id the id
 * @param shard the index of its shard
 * @param now when it was looked up by the store's clock, in milliseconds since 1970
 * @param paused whether the shard is paused
 * @param jobs its jobs, at most one of each state: queued, busy, dead
 * @param status why it is not being performed right now, or that it is
 */
public record JobReport(String queue, String id, int shard, long now, boolean paused, List<JobView> jobs,
		JobStatus status) {

	public JobReport {
		jobs = List.copyOf(jobs);
	}

	/**
	 * The job in a state.
	 * @param state the state
	 * @return the job, if there is one
	 */
	public Optional<JobView> job(JobView.State state) {
		return this.jobs.stream().filter((job) -> job.state() == state).findFirst();
	}

}
