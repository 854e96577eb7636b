package io.lowkiq.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.FetchResult;
import io.lowkiq.store.LastCall;
import io.lowkiq.store.Lease;
import io.lowkiq.store.job.Shard;

/** Compares what nodes say of forgotten calls with what failovers have forgotten. */
final class ForgottenCheck {

	private final LongSupplier now;

	private final RedisStore store;

	private final List<Shard> shards;

	/** When failovers have forgotten calls that were certainly answered. */
	private final List<Long> forgotten = new ArrayList<>();

	/** When nodes have said so. */
	private final List<Long> said = new ArrayList<>();

	private final List<String> problems = new ArrayList<>();

	private boolean mayHaveForgotten;

	ForgottenCheck(LongSupplier now, RedisStore store, List<Shard> shards) {
		this.now = now;
		this.store = store;
		this.shards = shards;
	}

	/** A node says that Redis has forgotten calls. */
	void said() {
		this.said.add(this.now.getAsLong());
		if (!this.mayHaveForgotten) {
			this.problems.add("A node says that calls are forgotten, and none is");
		}
	}

	/** Fails over, and looks what is forgotten. */
	void failOver(Runnable failOver) {
		List<LastCall> before = lastCalls();
		failOver.run();
		List<LastCall> after = lastCalls();
		boolean certain = before.size() == after.size();
		this.mayHaveForgotten |= !certain;
		for (int i = 0; certain && i < after.size(); i++) {
			LastCall known = before.get(i);
			LastCall last = after.get(i);
			this.mayHaveForgotten |= last.isBefore(known);
			// A call follows the answer to the one before
			if (last.epoch() == known.epoch() && last.sequence() < known.sequence() - 1) {
				this.forgotten.add(this.now.getAsLong());
				return;
			}
		}
	}

	/** Nodes that are not well from now on need not say what is forgotten by now. */
	void faultsEnd(long patience) {
		long now = this.now.getAsLong();
		this.forgotten.removeIf((at) -> at > now - patience);
	}

	/**
	 * Fewer if Redis hangs: a call without a lease changes nothing, and shows the last.
	 */
	private List<LastCall> lastCalls() {
		List<LastCall> all = new ArrayList<>();
		for (Shard shard : this.shards) {
			FetchResult answer = this.store.shards()
				.completeAndFetch(new Lease(shard, "nobody", -1), 1, 0, List.of(), Fetch.NONE)
				.getNow(null);
			if (answer instanceof FetchResult.Fenced fenced) {
				all.add(fenced.last());
			}
		}
		return all;
	}

	/**
	 * Names what was said without cause, or not said.
	 * @param patience how long a node may take to say it; less than 0 if all of them may
	 * have died meanwhile
	 */
	void check(long patience, Consumer<String> found) {
		this.problems.forEach(found);
		if (patience >= 0) {
			this.forgotten.stream()
				.filter((at) -> this.said.stream().noneMatch((time) -> time >= at && time <= at + patience))
				.forEach((at) -> found.accept("No node says what Redis forgot at %.3f s".formatted(at / 1e9)));
		}
	}

	/** How often failovers have forgotten calls that were certainly answered. */
	int count() {
		return this.forgotten.size();
	}

}
