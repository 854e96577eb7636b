package io.lowkiq.simulation;

import java.util.function.Consumer;
import java.util.random.RandomGenerator;

import org.jspecify.annotations.Nullable;

/**
 * The network between one process and Redis. What is sent on one connection arrives in
 * order; connections overtake each other. The process connects again after a timeout, as
 * Lettuce's connections do here, and what is on the way on the old connection still
 * arrives.
 */
final class Network {

	private static final long MILLISECOND = 1_000_000;

	/**
	 * How long something is on its way at most that is late: longer than it takes until a
	 * silent node has a successor.
	 */
	static final long LATEST = 10_000 * MILLISECOND;

	private final Scheduler scheduler;

	private final RandomGenerator random;

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

	private Connection connection = new Connection();

	/**
	 * One connection: what is sent on it doesn't overtake.
	 */
	final class Connection {

		private long lastThere;

		private long lastBack;

		/** Lets something happen at Redis. */
		void send(Runnable arrival) {
			send(arrival, null);
		}

		/**
		 * Lets something happen at Redis.
		 * @param straggle may get what was sent by a process that was killed; null if a
		 * random time is as bad as any
		 */
		void send(Runnable arrival, @Nullable Consumer<Runnable> straggle) {
			long delay = delay();
			if (random().nextDouble() < Network.this.late) {
				delay += random().nextLong(LATEST);
			}
			this.lastThere = Math.max(this.lastThere + 1, now() + delay);
			Network.this.scheduler.in(this.lastThere - now(), () -> arrive(arrival, straggle));
		}

		/** Calls of a process that was killed may arrive long after that. */
		private void arrive(Runnable arrival, @Nullable Consumer<Runnable> straggle) {
			if (Network.this.callsCut) {
				return;
			}
			if (Network.this.straggling && straggle != null && random().nextBoolean()) {
				straggle.accept(arrival);
			}
			else if (Network.this.straggling && random().nextBoolean()) {
				Network.this.scheduler.in(random().nextLong(LATEST), arrival);
			}
			else {
				arrival.run();
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

	Network(Scheduler scheduler, RandomGenerator random) {
		this.scheduler = scheduler;
		this.random = random;
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
