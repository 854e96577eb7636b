package io.lowkiq.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * Calls that arrive late, at the worst moment. Those of owners that were killed arrive
 * when the next owner of the shard has made as many calls, so that the number of the call
 * fits; those that are stuck on a connection, when another process makes a call that may
 * contradict them.
 */
final class Stragglers {

	private final Scheduler scheduler;

	private final RandomGenerator random;

	/** Connections on which something was stuck. */
	private final List<Network.Connection> stuck = new ArrayList<>();

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

	Stragglers(Scheduler scheduler, RandomGenerator random) {
		this.scheduler = scheduler;
		this.random = random;
	}

	/** Something is stuck on a connection. */
	void stuck(Network.Connection connection) {
		if (!this.stuck.contains(connection)) {
			this.stuck.add(connection);
		}
	}

	/**
	 * A process makes a call that may contradict what others have sent to the same key:
	 * some of that arrives just before it, some just after it.
	 */
	void meet(String key, Network caller) {
		this.stuck.removeIf(Network.Connection::isEmpty);
		for (Network.Connection connection : List.copyOf(this.stuck)) {
			if (!connection.isOf(caller) && connection.holdsBack(key) && this.random.nextBoolean()) {
				if (this.random.nextBoolean()) {
					connection.comeFree(key);
				}
				else {
					this.scheduler.in(1, () -> {
						if (connection.holdsBack(key)) {
							connection.comeFree(key);
						}
					});
				}
			}
		}
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
