package io.lowkiq.engine;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import io.lowkiq.engine.lease.HeldShard;
import io.lowkiq.engine.lease.ServedShard;
import io.lowkiq.engine.lease.StateLock;
import io.lowkiq.store.FetchResult;
import org.jspecify.annotations.Nullable;

/**
 * Lets one shard of the node at a time fetch a suspect, so that suspects run one after
 * the other (rule 8). Guarded by the {@link StateLock}.
 */
final class Suspects {

	private final StateLock lock;

	/** The shard that may fetch a suspect; null if any may. */
	private @Nullable HeldShard holder;

	/** Shards with suspects that wait until another one's has been completed. */
	private final Set<ServedShard> waiting = new LinkedHashSet<>();

	Suspects(StateLock lock) {
		this.lock = lock;
	}

	boolean mayFetch(HeldShard held) {
		return (this.holder == null || this.holder == held) && !held.tasks().hasSuspect();
	}

	void fetching(HeldShard held) {
		this.holder = held;
	}

	/** Notes that a shard that may not fetch a suspect has one, perhaps. */
	void await(HeldShard held) {
		if (held.nextDue().nextSuspect() != FetchResult.NOTHING && this.holder != held) {
			this.waiting.add(held.shard());
		}
	}

	/** Lets another shard fetch a suspect when none of the holder is left. */
	void release() {
		HeldShard last = this.holder;
		if (last != null && (last.shard().held() != last || (last.isReady() && !last.tasks().hasSuspect()))) {
			this.holder = null;
			List.copyOf(this.waiting).forEach(this.lock::changed);
			this.waiting.clear();
		}
	}

}
