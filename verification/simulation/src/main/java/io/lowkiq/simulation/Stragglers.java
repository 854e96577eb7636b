package io.lowkiq.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * Calls of owners that were killed, which arrive at the worst moment: when the next owner
 * of the shard has made as many calls, so that the number of the call fits.
 */
final class Stragglers {

	private final Scheduler scheduler;

	private final Map<String, List<Straggler>> byShard = new HashMap<>();

	/**
	 * A call.
	 *
	 * @param sequence its number among those of its owner
	 * @param latest when it arrives at the latest, or never
	 * @param arrival lets it arrive
	 */
	private record Straggler(long sequence, long latest, Runnable arrival) {
	}

	Stragglers(Scheduler scheduler) {
		this.scheduler = scheduler;
	}

	void keep(String shard, long sequence, Runnable arrival) {
		this.byShard.computeIfAbsent(shard, (missing) -> new ArrayList<>())
			.add(new Straggler(sequence, this.scheduler.now() + Network.LATEST, arrival));
	}

	/** Lets the calls arrive whose number is the next one. */
	void follow(String shard, long sequence) {
		Iterator<Straggler> kept = this.byShard.getOrDefault(shard, List.of()).iterator();
		while (kept.hasNext()) {
			Straggler next = kept.next();
			if (next.sequence() == sequence + 1) {
				kept.remove();
				if (this.scheduler.now() < next.latest()) {
					this.scheduler.in(1, next.arrival());
				}
			}
		}
	}

}
