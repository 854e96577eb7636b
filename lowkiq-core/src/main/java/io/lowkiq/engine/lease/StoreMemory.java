package io.lowkiq.engine.lease;

import java.time.Duration;

import io.lowkiq.engine.runtime.EngineRuntime;
import io.lowkiq.store.Store;
import io.lowkiq.store.node.Forgotten;
import io.lowkiq.store.node.Membership;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks whether the store remembers this node. When the node has lost its session, it
 * looks whether the store has forgotten everything: the session, though none that has
 * ended is forgotten so soon, and all queues. Used by the thread of the heartbeat.
 */
public final class StoreMemory {

	private static final Logger logger = LoggerFactory.getLogger(StoreMemory.class);

	private final Store store;

	private final ServedShards shards;

	private final String node;

	private final EngineRuntime runtime;

	private final Runnable listener;

	/** The last session that the store knew. */
	private @Nullable String session;

	/** When it answered so, by the monotonic clock. */
	private long knownAt;

	/** A loss that is not recorded yet. */
	private @Nullable Forgotten found;

	/** Expects nothing of the store yet. */
	public StoreMemory(Store store, ServedShards shards, String node, EngineRuntime runtime, Runnable listener) {
		this.store = store;
		this.shards = shards;
		this.node = node;
		this.runtime = runtime;
		this.listener = listener;
	}

	void known(Session known) {
		this.session = known.id();
		this.knownAt = this.runtime.nanoTime();
	}

	/** Checks what the store still knows, before the node records anything again. */
	void look() {
		String last = this.session;
		if (this.found == null && last != null && knowsNothing(last)) {
			long now = this.store.nodes().now();
			long ago = Duration.ofNanos(this.runtime.nanoTime() - this.knownAt).toMillis();
			this.found = Forgotten.everything(now, now - ago, this.node, this.shards.queues());
		}
		Forgotten loss = this.found;
		if (loss != null) {
			if (this.store.nodes().recordForgotten(loss)) {
				logger.error("The store has lost its data. {} See 'Redis came back empty' in docs/operations.md",
						loss.sentence());
				this.listener.run();
			}
			this.found = null;
			this.session = null;
		}
	}

	private boolean knowsNothing(String last) {
		Membership now = this.store.nodes().members();
		return !now.ended().containsKey(last)
				&& now.members().stream().noneMatch((member) -> member.session().equals(last))
				&& this.store.queues().all().isEmpty();
	}

}
