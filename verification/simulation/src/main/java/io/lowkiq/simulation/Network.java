package io.lowkiq.simulation;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * The network between one process and Redis. What is sent on one connection arrives in
 * order; connections overtake each other. The process connects again after a timeout, as
 * Lettuce's connections do here, and what is on the way on the old connection still
 * arrives.
 */
final class Network {

	/** Of a call without a number. */
	static final long NO_NUMBER = -1;

	private static final long MILLISECOND = 1_000_000;

	/**
	 * How long something is on its way at most that is late: longer than it takes until a
	 * silent node has a successor.
	 */
	static final long LATEST = 10_000 * MILLISECOND;

	private final Scheduler scheduler;

	private final RandomGenerator random;

	private final Stragglers stragglers;

	/** Whether nothing arrives at Redis. */
	boolean callsCut;

	/** Whether nothing comes back. */
	boolean answersCut;

	/** The part of the answers that is lost. */
	double lossy;

	/** The part of the calls that is late: the present connection is stuck. */
	double late;

	/** Whether the process was killed, and what it sent is late. */
	boolean straggling;

	/** The part of the calls that arrives twice. */
	double twice;

	/** The part of the calls that arrives again at the worst moment. */
	private final double again;

	private Connection connection = new Connection();

	/**
	 * A call on its way.
	 *
	 * @param key its first key
	 * @param sequence its number among those of its shard's owner, or {@link #NO_NUMBER}
	 * @param about contained in what contradicts it
	 * @param arrival lets it arrive
	 */
	record Sent(String key, long sequence, String about, Runnable arrival) {
	}

	/** One connection: what is sent on it doesn't overtake. */
	final class Connection {

		/** All calls that were sent and have not arrived, in order. */
		private final Deque<Sent> onTheWay = new ArrayDeque<>();

		/** How many have arrived. */
		private long arrived;

		private long lastThere;

		private long lastBack;

		/** Lets something happen at Redis. */
		void send(Runnable arrival) {
			send("", NO_NUMBER, arrival);
		}

		/** Lets a call arrive at Redis. */
		void send(String key, long sequence, Runnable arrival) {
			long delay = delay();
			if (random().nextDouble() < Network.this.late) {
				delay += random().nextLong(LATEST);
				Network.this.stragglers.stuck(this);
			}
			this.lastThere = Math.max(this.lastThere + 1, now() + delay);
			long number = this.arrived + this.onTheWay.size();
			this.onTheWay.add(new Sent(key, sequence, "", arrival));
			Network.this.scheduler.in(this.lastThere - now(), () -> {
				if (number == this.arrived) {
					arrive(next());
				}
			});
		}

		/** The first call to a key that has not arrived yet. */
		Optional<Sent> heldBack(String key) {
			return this.onTheWay.stream().filter((sent) -> sent.key().equals(key)).findFirst();
		}

		boolean isEmpty() {
			return this.onTheWay.isEmpty();
		}

		/** Lets the first call to a key arrive, and before it what was sent before it. */
		void comeFree(String key) {
			List<Sent> free = new ArrayList<>();
			do {
				free.add(next());
			}
			while (!free.get(free.size() - 1).key().equals(key));
			free.stream().filter((sent) -> !Network.this.callsCut).forEach((sent) -> sent.arrival().run());
		}

		private Sent next() {
			this.arrived++;
			return this.onTheWay.remove();
		}

		/** Calls of a process that was killed may arrive long after that. */
		private void arrive(Sent sent) {
			if (Network.this.callsCut) {
				return;
			}
			if (Network.this.straggling && sent.sequence() != NO_NUMBER && random().nextBoolean()) {
				Network.this.stragglers.keep(sent);
			}
			else if (Network.this.straggling && random().nextBoolean()) {
				Network.this.scheduler.in(random().nextLong(LATEST), sent.arrival());
			}
			else {
				sent.arrival().run();
			}
		}

		/** Lets something happen at the process, unless it gets lost. */
		void sendBack(Runnable arrival) {
			if (Network.this.answersCut || random().nextDouble() < Network.this.lossy) {
				return;
			}
			this.lastBack = Math.max(this.lastBack + 1, now() + delay());
			Network.this.scheduler.in(this.lastBack - now(), arrival);
		}

		private long now() {
			return Network.this.scheduler.now();
		}

	}

	Network(Scheduler scheduler, RandomGenerator random, Stragglers stragglers, double again) {
		this.again = again;
		this.scheduler = scheduler;
		this.random = random;
		this.stragglers = stragglers;
	}

	private RandomGenerator random() {
		return this.random;
	}

	private long delay() {
		return MILLISECOND / 10 + this.random.nextLong(MILLISECOND / 2);
	}

	/** The connection that is in use. */
	Connection connection() {
		return this.connection;
	}

	/** The answer of a call on a connection is overdue: it is replaced. */
	void timedOut(Connection used) {
		if (this.connection == used) {
			this.connection = new Connection();
		}
	}

	/** Whether the next call arrives twice. */
	boolean drawTwice() {
		return this.random.nextDouble() < this.twice;
	}

	/** Whether a call arrives again when another one contradicts it. */
	boolean drawAgain() {
		return this.random.nextDouble() < this.again;
	}

	/** How long after the first the second arrives. */
	long drawSecond() {
		return this.random.nextLong(LATEST / 2);
	}

	boolean drawBoolean() {
		return this.random.nextBoolean();
	}

	/** Everything works again. */
	void heal() {
		this.callsCut = false;
		this.answersCut = false;
		this.lossy = 0;
		this.late = 0;
		this.twice = 0;
	}

}
