package io.lowkiq.engine;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.function.LongSupplier;

import io.lowkiq.engine.lease.HeldShard;
import io.lowkiq.engine.lease.ServedShard;
import io.lowkiq.engine.lease.StateLock;
import io.lowkiq.engine.schedule.ShardScheduler;
import io.lowkiq.engine.schedule.ShardScheduler.Candidate;
import io.lowkiq.internal.PrintableThrowable;
import io.lowkiq.store.job.Shard;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the shard scheduler which shards to fetch from, whatever that throws or returns.
 * Guarded by the {@link StateLock}.
 */
final class ShardChooser {

	private static final Logger logger = LoggerFactory.getLogger(ShardChooser.class);

	private final ShardScheduler scheduler;

	private final StateLock lock;

	private final LongSupplier nanoTime;

	private @Nullable Shard lastChosen;

	ShardChooser(ShardScheduler scheduler, StateLock lock, LongSupplier nanoTime) {
		this.scheduler = scheduler;
		this.lock = lock;
		this.nanoTime = nanoTime;
	}

	List<ServedShard> choose(Collection<ServedShard> fetchable, int number) {
		long nanos = this.nanoTime.getAsLong();
		List<ServedShard> shards = new ArrayList<>(fetchable);
		List<Candidate> candidates = new ArrayList<>(shards.size());
		for (ServedShard shard : shards) {
			candidates.add(candidate(shard, nanos));
		}
		List<ServedShard> chosen = new ArrayList<>(number);
		for (int i = 0; i < number; i++) {
			int place = place(candidates);
			candidates.remove(place);
			ServedShard next = shards.remove(place);
			this.lastChosen = next.shard();
			chosen.add(next);
		}
		return chosen;
	}

	private int place(List<Candidate> candidates) {
		try {
			int place = candidates
				.indexOf(this.scheduler.choose(Collections.unmodifiableList(candidates), this.lastChosen));
			if (place >= 0) {
				return place;
			}
			this.lock.afterwards(() -> logger
				.error("The shard scheduler chose a shard that it was not offered; using the first one"));
		}
		catch (Throwable ex) {
			this.lock.afterwards(() -> PrintableThrowable.log(ex, (printable) -> logger
				.error("The shard scheduler threw an exception; using the first shard", printable)));
		}
		return 0;
	}

	private static Candidate candidate(ServedShard shard, long nanos) {
		HeldShard held = shard.held();
		return new Candidate(shard.shard(), (held != null) ? held.waitingSince(nanos) : Long.MAX_VALUE);
	}

}
