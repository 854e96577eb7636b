package io.lowkiq;

import org.jspecify.annotations.Nullable;

/**
 * How many jobs run at a time, and how many begin in a time, over all nodes. The limits
 * of a queue are divided among its shards: since a shard has one owner at a time, nothing
 * has to be counted over nodes, and nothing can leak.
 *
 * @param concurrency the maximum number of jobs that run at a time; 0 for no limit
 * @param rate how many runs may begin in a time; null for no limit
 */
public record Limits(int concurrency, @Nullable RateLimit rate) {

	/** No limits. */
	public static final Limits NONE = new Limits(0, null);

	void check(String queue, String prefix, int parts) {
		RegisteredWorker.Settings.check(queue, prefix + "concurrency", this.concurrency, 0, RateLimit.MAX);
		if (this.concurrency != 0) {
			checkParts(queue, "concurrency", this.concurrency, parts);
		}
		if (this.rate != null) {
			this.rate.check(queue, prefix + "rate", parts);
		}
	}

	/** Each part must have something. */
	static void checkParts(String queue, String name, int value, int parts) {
		if (value < parts) {
			throw new InvalidQueueException(
					"%s of queue '%s' is %s, but it is divided among the %s shards, and each needs at least 1; set it to %s or more. Only a new queue can have fewer shards"
						.formatted(name, queue, value, parts, parts));
		}
	}

	/**
	 * The number of jobs of one of several parts that may run at a time.
	 * @param part the place of the part, from 0 on
	 * @param parts the number of parts
	 * @return at least 1; the largest number if there is no limit
	 */
	public int concurrency(int part, int parts) {
		return (this.concurrency != 0) ? share(this.concurrency, part, parts) : Integer.MAX_VALUE;
	}

	/** The shares of all parts add up to the total. */
	static int share(int total, int part, int parts) {
		return (int) ((part + 1L) * total / parts - (long) part * total / parts);
	}

}
