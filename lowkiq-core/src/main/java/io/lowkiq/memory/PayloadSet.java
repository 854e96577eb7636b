package io.lowkiq.memory;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;

import io.lowkiq.store.Payload;

/**
 * The payloads of one id: distinct by their bytes, in ascending order of score, equal
 * scores by unsigned bytes (I2). Guarded by the lock of its shard.
 */
final class PayloadSet {

	private static final Comparator<Payload> BY_SCORE = Comparator.comparingDouble(Payload::score)
		.thenComparing(Payload::bytes, Arrays::compareUnsigned);

	private final Map<ByteBuffer, Payload> byBytes = new HashMap<>();

	private final NavigableSet<Payload> byScore = new TreeSet<>(BY_SCORE);

	static PayloadSet of(Iterable<Payload> payloads) {
		PayloadSet set = new PayloadSet();
		payloads.forEach(set::add);
		return set;
	}

	/** Adds a payload; one that is there already keeps the smaller score (rule 1). */
	void add(Payload payload) {
		Payload known = this.byBytes.get(ByteBuffer.wrap(payload.bytes()));
		if (known == null || payload.score() < known.score()) {
			remove(payload.bytes());
			this.byBytes.put(ByteBuffer.wrap(payload.bytes()), payload);
			this.byScore.add(payload);
		}
	}

	/** Adds a payload; one that is there already gets the larger score. */
	void addLatest(Payload payload) {
		Payload known = this.byBytes.get(ByteBuffer.wrap(payload.bytes()));
		if (known == null || payload.score() > known.score()) {
			remove(payload.bytes());
			this.byBytes.put(ByteBuffer.wrap(payload.bytes()), payload);
			this.byScore.add(payload);
		}
	}

	/** Adds payloads; of equal ones the smaller score stays, or the larger one. */
	void addAll(PayloadSet others, boolean latest) {
		others.byScore.forEach(latest ? this::addLatest : this::add);
	}

	Payload last() {
		return this.byScore.last();
	}

	void remove(byte[] bytes) {
		Payload known = this.byBytes.remove(ByteBuffer.wrap(bytes));
		if (known != null) {
			this.byScore.remove(known);
		}
	}

	/**
	 * Takes the payloads with the smallest scores out.
	 * @param count the largest number of payloads
	 * @return the payloads
	 */
	PayloadSet takeSmallest(int count) {
		return take(first(count));
	}

	/**
	 * Takes payloads out.
	 * @param payloads some of the payloads
	 * @return the payloads
	 */
	PayloadSet take(List<Payload> payloads) {
		PayloadSet taken = of(payloads);
		taken.byScore.forEach((payload) -> remove(payload.bytes()));
		return taken;
	}

	double highestScore() {
		return this.byScore.isEmpty() ? Double.NEGATIVE_INFINITY : this.byScore.last().score();
	}

	boolean contains(byte[] bytes) {
		return this.byBytes.containsKey(ByteBuffer.wrap(bytes));
	}

	boolean isEmpty() {
		return this.byScore.isEmpty();
	}

	int size() {
		return this.byScore.size();
	}

	List<Payload> first(int count) {
		return this.byScore.stream().limit(count).toList();
	}

	List<Payload> toList() {
		return new ArrayList<>(this.byScore);
	}

}
