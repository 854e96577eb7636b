package io.lowkiq.engine.schedule;

import java.util.Collections;
import java.util.Comparator;
import java.util.List;

import io.lowkiq.store.job.Shard;
import org.jspecify.annotations.Nullable;

/** Picks the next due shard after the one picked last, by queue and index. */
public final class SeqShardScheduler implements ShardScheduler {

	private static final Comparator<Candidate> BY_SHARD = Comparator.comparing(Candidate::shard);

	@Override
	public Candidate choose(List<Candidate> due, @Nullable Shard last) {
		return due.stream()
			.filter((candidate) -> last != null && candidate.shard().compareTo(last) > 0)
			.min(BY_SHARD)
			.orElseGet(() -> Collections.min(due, BY_SHARD));
	}

}
