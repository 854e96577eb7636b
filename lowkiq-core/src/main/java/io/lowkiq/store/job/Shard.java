package io.lowkiq.store.job;

import java.util.Comparator;

/** One shard of a queue: its generation from 1 on, its index from 0 on. */
public record Shard(String queue, int generation, int index) implements Comparable<Shard> {

	private static final Comparator<Shard> ORDER = Comparator.comparing(Shard::queue)
		.thenComparingInt(Shard::generation)
		.thenComparingInt(Shard::index);

	@Override
	public int compareTo(Shard other) {
		return ORDER.compare(this, other);
	}

	/** The shard as {@code queue:generation:index}. */
	@Override
	public String toString() {
		return this.queue + ":" + this.generation + ":" + this.index;
	}

	/** Reads what {@link #toString()} wrote, and throws for other texts. */
	public static Shard parse(String text) {
		String[] parts = text.split(":", -1);
		if (parts.length != 3) {
			throw new IllegalArgumentException("Not a shard: '%s'".formatted(text));
		}
		return new Shard(parts[0], Integer.parseInt(parts[1]), Integer.parseInt(parts[2]));
	}

}
