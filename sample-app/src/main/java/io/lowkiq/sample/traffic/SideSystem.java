package io.lowkiq.sample.traffic;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.random.RandomGenerator;

/**
 * The messages of the side system: bursts of changes to the same orders, now and then in
 * the wrong order; at first and now and then an order that fails for a while, or always.
 * Thread-safe.
 */
final class SideSystem {

	private static final List<String> STATUSES = List.of("NEW", "PAID", "PACKED", "SENT", "DELIVERED");

	private static final int LONGEST_BURST = 8;

	private static final int SPECIAL_EVERY = 100;

	private final RandomGenerator random;

	private final int orders;

	private final Deque<Change> waiting = new ArrayDeque<>();

	private long version;

	private long told;

	SideSystem(RandomGenerator random, int orders, long firstVersion) {
		this.random = random;
		this.orders = orders;
		this.version = firstVersion;
		this.waiting.addAll(troubles());
	}

	/** The next change. */
	synchronized Change next() {
		if (this.waiting.isEmpty()) {
			this.waiting.addAll(burst());
		}
		this.told++;
		return this.waiting.remove();
	}

	private List<Change> burst() {
		if (this.told % SPECIAL_EVERY < LONGEST_BURST && this.random.nextInt(LONGEST_BURST) == 0) {
			return troubles();
		}
		String id = "order-" + (1 + this.random.nextInt(this.orders));
		List<Change> burst = new ArrayList<>();
		int length = 1 + this.random.nextInt(LONGEST_BURST);
		for (int i = 0; i < length; i++) {
			burst.add(change(id, STATUSES.get(this.random.nextInt(STATUSES.size()))));
		}
		if (this.random.nextInt(4) == 0) {
			Collections.swap(burst, 0, length - 1);
		}
		return burst;
	}

	private List<Change> troubles() {
		return List.of(change("broken-1", "WAREHOUSE_REFUSES"), change("flaky-1", "WAREHOUSE_BUSY"),
				change("flaky-1", "PAID"), change("flaky-2", "WAREHOUSE_BUSY"));
	}

	private Change change(String id, String status) {
		String amount = String.format(Locale.ROOT, "%d.%02d", this.random.nextInt(1_000), this.random.nextInt(100));
		return new Change(id, this.version++, status, amount);
	}

	/** A change of an order. */
	record Change(String id, long version, String status, String amount) {

		/** The change as the sample's door takes it. */
		String toJson() {
			return String.format(Locale.ROOT, "{\"version\":%d,\"status\":\"%s\",\"amount\":\"%s\"}", this.version,
					this.status, this.amount);
		}

	}

}
