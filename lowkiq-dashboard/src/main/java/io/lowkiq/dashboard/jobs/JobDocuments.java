package io.lowkiq.dashboard.jobs;

import java.util.List;
import java.util.Locale;

import io.lowkiq.admin.JobStatus;
import io.lowkiq.store.inspection.JobSelection;
import io.lowkiq.store.job.Failure;
import org.jspecify.annotations.Nullable;

/** The documents about jobs, see {@code docs/appendix/dashboard-api.md}. */
public final class JobDocuments {

	private JobDocuments() {
	}

	public record Jobs(long now, List<Job> jobs, @Nullable String next, @Nullable String kind) {
	}

	public record Job(String id, int shard, String state, long performAt, int retryCount, int crashes,
			@Nullable String error, long payloadCount, List<PayloadText> payloads, @Nullable String node,
			List<Producer> producers, long moreProducers, @Nullable Long enqueuedAt, List<Failure.Attempt> attempts,
			@Nullable Integer maxRetryCount) {
	}

	public record Producer(String traceId, String spanId) {
	}

	public record JobDetail(long now, String queue, String id, int shard, JobStatus why, boolean paused,
			@Nullable JobGroup group, List<Job> jobs) {
	}

	public record JobGroup(String name, boolean paused) {
	}

	public record Selection(@Nullable String state, @Nullable String prefix, @Nullable Integer shard,
			@Nullable String error, @Nullable Long from, @Nullable Long until) {

		/** The document of a selection. */
		public static Selection of(JobSelection selection) {
			return new Selection(selection.list().name().toLowerCase(Locale.ROOT), selection.prefix(),
					selection.shard(), selection.error(), selection.from(), selection.until());
		}

	}

	/**
	 * Groups of errors.
	 *
	 * @param asOf when they were counted, by the store's clock; none of them is later
	 * @param complete whether all jobs were read
	 * @param counting whether more will be read
	 * @param total how many there were when the reading began
	 */
	public record Errors(long now, long asOf, boolean complete, boolean counting, int scanned, long total,
			List<ErrorGroup> groups) {
	}

	/**
	 * A group of errors.
	 *
	 * @param complete whether all failed and dead jobs of the queue were read
	 */
	public record ErrorGroup(String key, String queue, @Nullable String type, String message, long dead, long retrying,
			boolean complete, @Nullable Long first, @Nullable Long last, Example example) {

		/** The message, or the type of an error without one. */
		String text() {
			return (this.message.isEmpty() && this.type != null) ? this.type : this.message;
		}

		long size() {
			return this.dead + this.retrying;
		}

	}

	public record Example(String id, String state) {
	}

	public record Search(long now, List<Hit> hits, @Nullable String next, long searched) {
	}

	public record Hit(String queue, Job job) {
	}

	public record Count(long now, long count, boolean complete, @Nullable String next) {
	}

}
