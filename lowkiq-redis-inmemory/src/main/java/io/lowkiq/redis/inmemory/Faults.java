package io.lowkiq.redis.inmemory;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.lowkiq.redis.inmemory.InMemoryRedis.Pending;

/**
 * The faults of a server. Thread-safe; all fields are guarded by the lock of the server.
 */
public final class Faults {

	private final InMemoryRedis server;

	private final InstantSource clock;

	private Duration clockOffset = Duration.ZERO;

	private boolean memoryFull;

	private boolean hanging;

	/** The calls that came while the server hangs. */
	private final List<Pending<?>> held = new ArrayList<>();

	private final Deque<Loss> losses = new ArrayDeque<>();

	private final Map<Integer, String> slotErrors = new HashMap<>();

	private boolean spread;

	Faults(InMemoryRedis server, InstantSource clock) {
		this.server = server;
		this.clock = clock;
	}

	/** Whether a call or its answer is lost with the connection. */
	enum Loss {

		NONE, CALL, ANSWER

	}

	/** How a cluster answers calls for a slot that moves to another master. */
	public enum SlotState {

		/** Some keys of the call have been moved, others not. */
		MOVING("TRYAGAIN Multiple keys request during rehashing of slot"),

		/** The key of the call has been moved, but not yet the slot. */
		ASKING("ASK %s 127.0.0.1:7001"),

		/** Another master has the slot. */
		MOVED("MOVED %s 127.0.0.1:7001"),

		/** No master has the slot. */
		DOWN("CLUSTERDOWN Hash slot not served");

		private final String error;

		SlotState(String error) {
			this.error = error;
		}

	}

	/** The contents of a server at some time, but for its scripts. */
	public static final class Snapshot {

		private final Keyspace keyspace;

		private Snapshot(Keyspace keyspace) {
			this.keyspace = keyspace;
		}

		public Set<String> keys() {
			return this.keyspace.names();
		}

	}

	/** The state of a replica that falls behind from now on. */
	public Snapshot snapshot() {
		return this.server.locked(() -> new Snapshot(this.server.keyspace().copy()));
	}

	/** With the knowledge of the replica, but no script and no connection. */
	public void promote(Snapshot replica) {
		List<Pending<?>> lost = this.server.locked(() -> {
			this.server.become(replica.keyspace.copy());
			return takeHeld();
		});
		this.server.release(lost, true);
	}

	public void dropSubscribers() {
		this.server.locked(() -> {
			this.server.subscriptions().dropAll();
			return true;
		});
		this.server.release(List.of(), false);
	}

	/** Loses the next call with its connection, before it is executed. */
	public void loseNextCall() {
		this.server.locked(() -> this.losses.add(Loss.CALL));
	}

	/** Executes the next call, and loses its answer with its connection. */
	public void loseNextAnswer() {
		this.server.locked(() -> this.losses.add(Loss.ANSWER));
	}

	/** A full server refuses what may need more, as Redis with {@code noeviction}. */
	public void fillMemory(boolean full) {
		this.server.locked(() -> this.memoryFull = full);
	}

	/** Refuses scripts with keys in several slots from now on, as a cluster does. */
	public void spread() {
		this.server.locked(() -> this.spread = true);
	}

	/** Refuses all calls for the slot of a key. */
	public void moveSlot(String key, SlotState state) {
		int slot = Slots.of(Commands.bytes(key));
		this.server.locked(() -> this.slotErrors.put(slot, state.error.formatted(slot)));
	}

	/** Serves the slot of a key again. */
	public void serveSlot(String key) {
		this.server.locked(() -> this.slotErrors.remove(Slots.of(Commands.bytes(key))));
	}

	/** Moves the server's clock, by a negative duration backwards. */
	public void shiftClock(Duration by) {
		this.server.locked(() -> this.clockOffset = this.clockOffset.plus(by));
	}

	/** Stops to execute calls, until {@link #resume()}; connections stay open. */
	public void hang() {
		this.server.locked(() -> this.hanging = true);
	}

	/**
	 * Executes the calls that have come meanwhile, in their order, also those whose
	 * callers wait no more. Their answers are given on this thread.
	 */
	public void resume() {
		this.server.release(this.server.locked(this::takeHeld), false);
	}

	public void forgetScripts() {
		this.server.locked(() -> {
			this.server.scripts().forgetAll();
			return true;
		});
	}

	private List<Pending<?>> takeHeld() {
		List<Pending<?>> taken = List.copyOf(this.held);
		this.held.clear();
		this.hanging = false;
		return taken;
	}

	/** Keeps a call, if the server hangs. */
	boolean isHeld(Pending<?> call) {
		return this.hanging && this.held.add(call);
	}

	Loss takeLoss() {
		Loss loss = this.losses.poll();
		return (loss != null) ? loss : Loss.NONE;
	}

	void checkMemory(Command.Access access) {
		if (this.memoryFull && access == Command.Access.WRITES_MORE) {
			throw new RedisErrorException("OOM command not allowed when used memory > 'maxmemory'.");
		}
	}

	void checkSlots(Set<Integer> slots) {
		if (this.spread && slots.size() > 1) {
			throw Slots.severalSlots();
		}
		slots.forEach(this::checkSlot);
	}

	void checkSlot(int slot) {
		String error = this.slotErrors.get(slot);
		if (error != null) {
			throw new RedisErrorException(error);
		}
	}

	Instant now() {
		return this.clock.instant().plus(this.clockOffset);
	}

}
