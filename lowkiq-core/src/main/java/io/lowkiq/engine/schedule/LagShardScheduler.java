package io.lowkiq.engine.schedule;

import java.util.Collections;
import java.util.Comparator;
import java.util.List;

import io.lowkiq.store.job.Shard;
import org.jspecify.annotations.Nullable;

/** Picks the shard whose oldest due job has waited longest. */
public final class LagShardScheduler implements ShardScheduler {

	private static final Comparator<Candidate> OLDEST_FIRST = Comparator.comparingLong(Candidate::oldest);

	@Override
	public Candidate choose(List<Candidate> due, @Nullable Shard last) {
		return Collections.min(due, OLDEST_FIRST);
	}

}
