package io.lowkiq.admin;

import java.util.List;

/**
 * The jobs, follow-ups and settings that a queue keeps of the ids that begin with a
 * prefix, as {@link LowkiqAdmin#findPrefix} counts them and
 * {@link LowkiqAdmin#erasePrefix} erases them.
 *
 * @param queued the number of queued jobs: ready, delayed, waiting for a retry, on hold,
 * or behind the run in progress
 * @param busy the number of jobs that are being performed
 * @param dead the number of dead jobs
 * @param waiting the number of payloads that wait in other shards to be enqueued, because
 * they follow other jobs
 * @param groups the groups with settings whose ids all begin with the prefix
 */
public record PrefixContents(long queued, long busy, long dead, long waiting, List<String> groups) {

	public PrefixContents {
		groups = List.copyOf(groups);
	}

	/**
	 * Whether there is anything.
	 * @return false if the queue keeps nothing of such ids
	 */
	public boolean isAny() {
		return this.queued > 0 || this.busy > 0 || this.dead > 0 || this.waiting > 0 || !this.groups.isEmpty();
	}

}
