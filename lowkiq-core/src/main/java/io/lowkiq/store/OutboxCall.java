package io.lowkiq.store;

import java.util.Map;
import java.util.function.Function;

import io.lowkiq.store.job.Shard;

/**
 * The name, the number and the token of all calls of one holder of an outbox' lock; and
 * the last calls that it knows by shard, if the outbox keeps sent rows. For one thread.
 */
public final class OutboxCall {

	private final String outbox;

	private final Stamp stamp;

	private final boolean keeps;

	private final Map<Shard, Stamp> last;

	private final Function<Shard, Stamp> lookUp;

	/** The calls of an outbox that keeps nothing. */
	public OutboxCall(String outbox, Stamp stamp) {
		this(outbox, stamp, false, Map.of(), (shard) -> Stamp.NONE);
	}

	/** The calls of an outbox that keeps what it has sent. */
	public OutboxCall(String outbox, Stamp stamp, Map<Shard, Stamp> last, Function<Shard, Stamp> lookUp) {
		this(outbox, stamp, true, last, lookUp);
	}

	private OutboxCall(String outbox, Stamp stamp, boolean keeps, Map<Shard, Stamp> last,
			Function<Shard, Stamp> lookUp) {
		this.outbox = outbox;
		this.stamp = stamp;
		this.keeps = keeps;
		this.last = last;
		this.lookUp = lookUp;
	}

	public String outbox() {
		return this.outbox;
	}

	/** The number and the token of the calls. */
	public Stamp stamp() {
		return this.stamp;
	}

	/** Whether the outbox keeps what it has sent. */
	public boolean keeps() {
		return this.keeps;
	}

	/** The last call of a shard, as far as the outbox knows. */
	public Stamp last(Shard shard) {
		return this.last.computeIfAbsent(shard, this.lookUp);
	}

	/** A shard has confirmed one of the calls. */
	public void confirmed(Shard shard) {
		if (this.keeps) {
			this.last.put(shard, this.stamp);
		}
	}

	/** The number of a call, and a random token from 0 to 2^53. */
	public record Stamp(long number, long token) {

		/** There was no call. */
		public static final Stamp NONE = new Stamp(0, 0);

	}

}
