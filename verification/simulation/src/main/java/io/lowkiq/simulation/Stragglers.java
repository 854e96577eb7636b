package io.lowkiq.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;

/**
 * Calls that arrive late, at the worst moment. A call with a number among the calls of an
 * owner arrives when another owner, or the same one with another lease, has made as many,
 * so that its number fits. A call that is stuck on a connection arrives when another
 * connection brings a call that it may contradict.
 */
final class Stragglers {

	/** Of this number of calls whose own number doesn't fit, one arrives all the same. */
	private static final int WAITING = 8;

	private final Scheduler scheduler;

	private final RandomGenerator random;

	/** Connections on which something was stuck. */
	private final List<Network.Connection> stuck = new ArrayList<>();

	/** Calls of owners that were killed, and second ones of others. */
	private final Map<String, List<Straggler>> byKey = new HashMap<>();

	/**
	 * A call.
	 *
	 * @param latest when it arrives at the latest, or never
	 */
	private record Straggler(Network.Sent sent, long latest) {
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
	 * A call may contradict what was sent to the same key on other connections: some of
	 * that arrives just before it, some just after it.
	 */
	void meet(String key, long sequence, String what, Network.Connection caller) {
		release(key, (sent) -> sent.sequence() == Network.NO_NUMBER && what.contains(sent.about())
				&& this.random.nextBoolean());
		this.stuck.removeIf(Network.Connection::isEmpty);
		for (Network.Connection connection : List.copyOf(this.stuck)) {
			Optional<Network.Sent> held = (connection != caller) ? connection.heldBack(key) : Optional.empty();
			if (held.isPresent() && isMoment(held.get().sequence(), sequence)) {
				if (held.get().sequence() == sequence || this.random.nextBoolean()) {
					connection.comeFree(key);
				}
				else {
					this.scheduler.in(1, () -> comeFree(connection, key));
				}
			}
		}
	}

	/**
	 * Of two calls of owners, the stuck one rather waits for a call with its own number.
	 */
	private boolean isMoment(long held, long sequence) {
		boolean areOfOwners = held != Network.NO_NUMBER && sequence != Network.NO_NUMBER;
		return areOfOwners ? held == sequence || this.random.nextInt(WAITING) == 0 : this.random.nextBoolean();
	}

	private static void comeFree(Network.Connection connection, String key) {
		if (connection.heldBack(key).isPresent()) {
			connection.comeFree(key);
		}
	}

	/** Keeps a call of an owner that was killed, or a second one of another. */
	void keep(Network.Sent sent) {
		this.byKey.computeIfAbsent(sent.key(), (missing) -> new ArrayList<>())
			.add(new Straggler(sent, this.scheduler.now() + Network.LATEST));
	}

	/** Lets the calls arrive whose number is the next one. */
	void follow(String shard, long sequence) {
		if (sequence != Network.NO_NUMBER) {
			release(shard, (sent) -> sent.sequence() == sequence + 1);
		}
	}

	/** Lets kept calls arrive just after the present one, if they are not too old. */
	private void release(String key, Predicate<Network.Sent> condition) {
		Iterator<Straggler> kept = this.byKey.getOrDefault(key, List.of()).iterator();
		while (kept.hasNext()) {
			Straggler next = kept.next();
			if (condition.test(next.sent())) {
				kept.remove();
				if (this.scheduler.now() < next.latest()) {
					this.scheduler.in(1, next.sent().arrival());
				}
			}
		}
	}

}
