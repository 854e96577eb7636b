package io.lowkiq.simulation;

import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.lowkiq.store.Shard;
import io.lowkiq.store.inspection.JobQuery.JobList;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.inspection.ShardCounts;
import org.jspecify.annotations.Nullable;

/**
 * Compares a shard before and after a call that may change its owner. A shard that is
 * free, or that another session just got, has no busy jobs; and a crash is counted only
 * if a session has lost the shard to another one.
 */
final class OwnerCheck {

	private final EndCheck contents;

	private final Consumer<String> problems;

	/**
	 * A shard as far as it matters.
	 *
	 * @param owner the session that holds it; null if it is free
	 * @param busy its busy jobs
	 * @param crashes the sum of the crashes that its jobs count
	 */
	private record Look(@Nullable String owner, long busy, long crashes) {
	}

	OwnerCheck(EndCheck contents, Consumer<String> problems) {
		this.contents = contents;
		this.problems = problems;
	}

	/** Looks at a shard, and returns what looks again. */
	Runnable begin(Shard shard) {
		Look before = look(shard);
		return () -> compare(shard, before, look(shard));
	}

	private Look look(Shard shard) {
		ShardCounts counts = this.contents.counts(shard);
		long crashes = Stream.of(JobList.QUEUED, JobList.BUSY)
			.flatMap((list) -> this.contents.list(shard, list).stream())
			.mapToLong(JobView::crashes)
			.sum();
		return new Look(counts.session(), counts.busy(), crashes);
	}

	private void compare(Shard shard, Look before, Look after) {
		boolean isOthers = !Objects.equals(before.owner(), after.owner());
		if (after.busy() > 0 && (after.owner() == null || isOthers)) {
			this.problems.accept("BUSY_WITHOUT_OWNER: %s has %d busy jobs when %s gets it from %s".formatted(shard,
					after.busy(), after.owner(), before.owner()));
		}
		if (after.crashes() > before.crashes() && (before.owner() == null || after.owner() == null || !isOthers)) {
			this.problems.accept("CRASH_WITHOUT_CAUSE: jobs of %s count %d more crashes when %s gets it from %s"
				.formatted(shard, after.crashes() - before.crashes(), after.owner(), before.owner()));
		}
	}

}
