package io.lowkiq.store.inspection;

import java.time.Instant;
import java.util.Locale;

import io.lowkiq.InvalidJobException;
import io.lowkiq.store.inspection.JobQuery.JobList;
import org.jspecify.annotations.Nullable;

/**
 * Jobs of a queue that have something in common.
 *
 * @param prefix what their ids begin with; null for all
 * @param shard the index of their shard; null for all
 * @param error the {@link ErrorKind#key()} of their error; null for all, also for jobs
 * without an error
 * @param from the earliest {@link JobView#performAt()}, in milliseconds since 1970: of
 * dead jobs, when they died; null for all
 * @param until the first time after the last one; null for all
 */
public record JobSelection(JobList list, @Nullable String prefix, @Nullable Integer shard, @Nullable String error,
		@Nullable Long from, @Nullable Long until) {

	/** Jobs of any time. */
	public JobSelection(JobList list, @Nullable String prefix, @Nullable Integer shard, @Nullable String error) {
		this(list, prefix, shard, error, null, null);
	}

	/**
	 * @throws InvalidJobException if the error can't be the key of a kind of errors
	 */
	public JobSelection {
		if (error != null && !ErrorKind.isKey(error)) {
			throw new InvalidJobException("The key of an error has 16 hexadecimal digits");
		}
	}

	/** All jobs of a list. */
	public static JobSelection of(JobList list) {
		return new JobSelection(list, null, null, null);
	}

	/** Whether a job of the list belongs to the selection. */
	public boolean matches(JobView job) {
		return (this.prefix == null || job.id().startsWith(this.prefix))
				&& (this.shard == null || this.shard == job.shard().index())
				&& (this.from == null || this.from <= job.performAt())
				&& (this.until == null || this.until > job.performAt())
				&& (this.error == null || this.error.equals(keyOf(job.error())));
	}

	private static @Nullable String keyOf(@Nullable String error) {
		return (error != null) ? ErrorKind.of(error).key() : null;
	}

	/** Whether it has all jobs of the list in its shards. */
	public boolean isWholeList() {
		return this.prefix == null && !isFiltered();
	}

	/** Whether jobs must be read to know which of them belong to it. */
	public boolean isFiltered() {
		return this.error != null || this.from != null || this.until != null;
	}

	/**
	 * At most, of a shard: exact for lists but {@link JobList#DUE}, 0 for another shard.
	 */
	public long most(ShardCounts counts) {
		if (this.shard != null && this.shard != counts.shard().index()) {
			return 0;
		}
		return switch (this.list) {
			case QUEUED, READY, DELAYED, DUE, SUSPECTS -> counts.queued();
			case SCHEDULED -> counts.delayed();
			case HELD -> counts.held();
			case RETRIES -> counts.retry();
			case BUSY -> counts.busy();
			case DEAD -> counts.dead();
		};
	}

	/**
	 * The selection for people, such as {@code dead, ids that begin with 'A-', shard 3}.
	 */
	public String description() {
		return this.list.name().toLowerCase(Locale.ROOT)
				+ ((this.prefix != null) ? ", ids that begin with '" + this.prefix + "'" : "")
				+ ((this.shard != null) ? ", shard " + this.shard : "")
				+ ((this.error != null) ? ", error " + this.error : "")
				+ ((this.from != null) ? ", from " + Instant.ofEpochMilli(this.from) : "")
				+ ((this.until != null) ? ", before " + Instant.ofEpochMilli(this.until) : "");
	}

}
