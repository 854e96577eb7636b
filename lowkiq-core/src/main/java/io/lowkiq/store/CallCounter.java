package io.lowkiq.store;

import java.util.Map;
import java.util.function.Function;

/**
 * The numbers of the calls of one outbox, as it knows them, by shard. For one thread.
 */
public final class CallCounter {

	private final String outbox;

	private final long least;

	private final Map<Shard, Long> last;

	private final Function<Shard, Long> lookUp;

	/**
	 * A counter.
	 * @param outbox the name of the outbox, unlike that of any other one
	 * @param least the least number that a call gets, usually the time: so a copy of a
	 * shard that was out of use for a while has no number that later calls get
	 * @param last the numbers of the last calls, which this counter changes
	 * @param lookUp looks up the number of the last call of a shard that is not among
	 * them; 0 if there was none
	 */
	public CallCounter(String outbox, long least, Map<Shard, Long> last, Function<Shard, Long> lookUp) {
		this.outbox = outbox;
		this.least = least;
		this.last = last;
		this.lookUp = lookUp;
	}

	/**
	 * The name of the outbox.
	 * @return the name
	 */
	public String outbox() {
		return this.outbox;
	}

	/**
	 * The number of the last call of a shard.
	 * @param shard the shard
	 * @return its number; 0 if there was none
	 */
	public long last(Shard shard) {
		return this.last.computeIfAbsent(shard, this.lookUp);
	}

	/**
	 * The number that the next call of a shard gets, unless the shard has a larger one.
	 * @param shard the shard
	 * @return the number
	 */
	public long next(Shard shard) {
		return Math.max(this.least, last(shard) + 1);
	}

	/**
	 * A shard has answered.
	 * @param shard the shard
	 * @param number the number of its last call
	 */
	public void answered(Shard shard, long number) {
		this.last.merge(shard, number, Math::max);
	}

}
