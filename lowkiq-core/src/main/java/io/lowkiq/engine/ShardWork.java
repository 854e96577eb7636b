package io.lowkiq.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

import io.lowkiq.LowkiqObserver;
import io.lowkiq.store.FetchedJob;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.HandOver;
import io.lowkiq.store.Outcome;
import io.lowkiq.store.Acquisition;
import io.lowkiq.store.Claim;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.FetchResult;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Works on a claimed shard: fetches, performs, sends what became of the jobs.
 * Thread-safe; the thread that calls has the claim of the slot.
 */
final class ShardWork {

	private static final Logger logger = LoggerFactory.getLogger(ShardWork.class);

	/** How long a thread stays on a shard while another one of its shards is due. */
	private static final long QUANTUM = Duration.ofMillis(20).toNanos();

	/** How long an outcome waits for the rest of what was fetched with its job. */
	private static final long PATIENCE = Duration.ofMillis(10).toNanos();

	private final ServerParts parts;

	private final ShardStore store;

	private final Performer performer;

	private final Lifecycle lifecycle;

	private final StoreWatch watch;

	private final Semaphore suspects;

	private final Runnable suspectsFreed;

	private final LowkiqObserver observer;

	private final LongSupplier nanoTime;

	/**
	 * Work.
	 * @param parts what the server was built with
	 * @param lifecycle how far the run has come
	 * @param watch told whether the store answers
	 * @param suspects the node's only permit to perform a suspect (rule 8)
	 * @param suspectsFreed called when the permit was given back
	 */
	ShardWork(ServerParts parts, Lifecycle lifecycle, StoreWatch watch, Semaphore suspects, Runnable suspectsFreed) {
		this.parts = parts;
		this.store = parts.store();
		this.performer = new Performer(parts);
		this.lifecycle = lifecycle;
		this.watch = watch;
		this.suspects = suspects;
		this.suspectsFreed = suspectsFreed;
		this.observer = parts.observer();
		this.nanoTime = parts.nanoTime();
	}

	/**
	 * Works until the shard has nothing to do, its time is up, or it is lost.
	 * @param slot the shard, claimed by this thread
	 * @param activity the thread
	 * @param stay whether to stay on the shard when its time is up
	 */
	void process(ShardSlot slot, ThreadActivity activity, BooleanSupplier stay) {
		HeldShard held = slot.lastHeld();
		if (held == null) {
			return;
		}
		try {
			process(slot, held, activity, stay);
		}
		catch (RuntimeException ex) {
			// Acquiring the shard again puts back what was under way
			lose(slot, held);
			throw ex;
		}
		catch (Error ex) {
			abandon(slot, held);
			throw ex;
		}
	}

	private void process(ShardSlot slot, HeldShard held, ThreadActivity activity, BooleanSupplier stay) {
		long end = this.nanoTime.getAsLong() + QUANTUM;
		boolean goOn = recover(slot, held);
		while (goOn && performFetched(slot, held, activity)) {
			if (isToStop(slot)) {
				release(slot, held);
				return;
			}
			if (end - this.nanoTime.getAsLong() <= 0) {
				if (!stay.getAsBoolean()) {
					leave(slot, held);
					return;
				}
				end = this.nanoTime.getAsLong() + QUANTUM;
			}
			goOn = fetch(slot, held) && !held.fetched().isEmpty();
		}
	}

	/**
	 * Gives the lease back with all that isn't sent yet. If the store doesn't answer, the
	 * shard stays held and can be released later.
	 */
	void release(ShardSlot slot, HeldShard held) {
		if (!recover(slot, held)) {
			return;
		}
		if (!held.session().isValid()) {
			lose(slot, held);
			return;
		}
		List<Outcome> outcomes = List.copyOf(held.outcomes());
		try {
			boolean current = this.store.release(held.lease(), held.nextSequence(), outcomes);
			this.watch.succeeded(slot.shard());
			if (current) {
				buried(slot, outcomes.stream().mapToInt(ShardWork::payloadsBuriedBy).sum());
			}
			else {
				logger.debug("Shard {} had another owner when it was given back", slot.shard());
			}
			slot.released(this.parts.clock().instant());
			freeSuspects(held);
		}
		catch (RuntimeException ex) {
			unanswered(slot, held, ex);
		}
	}

	/** Forgets a shard whose lease is lost: nothing of it is sent any more (I6). */
	void lose(ShardSlot slot, HeldShard held) {
		logger.warn("The lease of shard {} is lost; {} outcomes are dropped and the jobs come again", slot.shard(),
				held.outcomes().size());
		this.watch.succeeded(slot.shard());
		slot.lost(this.parts.clock().instant());
		freeSuspects(held);
	}

	/**
	 * Leaves a shard as it is after an error that stops the server. Its lease isn't given
	 * back but ends with the session, so that the job under way counts as caught in a
	 * crash: if it is to blame, it stops only a few servers (I8).
	 */
	private void abandon(ShardSlot slot, HeldShard held) {
		if (!held.outcomes().isEmpty()) {
			turn(slot, held, Fetch.NONE);
		}
		held.abandon();
	}

	/**
	 * Performs what was fetched.
	 * @return whether to go on; false if the lease is lost or the store doesn't answer
	 */
	private boolean performFetched(ShardSlot slot, HeldShard held, ThreadActivity activity) {
		while (!held.fetched().isEmpty() && !isToStop(slot)) {
			if (!held.session().isValid()) {
				lose(slot, held);
				return false;
			}
			if (!held.outcomes().isEmpty() && this.nanoTime.getAsLong() - held.turnAt() > PATIENCE
					&& !turn(slot, held, Fetch.NONE)) {
				return false;
			}
			held.outcomes().addAll(this.performer.performNext(slot.queue(), held, activity));
		}
		return true;
	}

	/** Whether no further job of the shard is begun: it is given back with what isn't. */
	private boolean isToStop(ShardSlot slot) {
		return slot.isLeaving() || this.lifecycle.isQuiet();
	}

	/** Sends what is to be sent, and lets another shard have the thread. */
	private void leave(ShardSlot slot, HeldShard held) {
		if ((!held.outcomes().isEmpty() || held.hasSuspectPermit()) && !turn(slot, held, Fetch.NONE)) {
			return;
		}
		// Only a fetch that finds nothing makes the store call the node
		slot.wake();
	}

	private boolean fetch(ShardSlot slot, HeldShard held) {
		if (takeHandedOver(slot, held)) {
			return true;
		}
		int jobs = slot.queue().fetchSize().next(held.lastFetch());
		held.lastFetch(jobs);
		if (!held.hasSuspectPermit() && slot.agenda().suspectAt() - this.nanoTime.getAsLong() <= 0) {
			held.suspectPermit(this.suspects.tryAcquire());
		}
		Fetch fetch = new Fetch(jobs, slot.queue().worker().settings().maxPayloads(), held.hasSuspectPermit(), true);
		return turn(slot, held, fetch);
	}

	/** Takes a job that was handed over with the wake-up, and saves the call. */
	private boolean takeHandedOver(ShardSlot slot, HeldShard held) {
		slot.asking();
		HandOver handOver = slot.takeHandOver();
		if (handOver == null || !held.outcomes().isEmpty() || !held.isNext(handOver)) {
			return false;
		}
		handedOver(slot, held, handOver);
		return true;
	}

	private void handedOver(ShardSlot slot, HeldShard held, HandOver handOver) {
		held.goOn(handOver);
		applied(slot, held, new FetchResult.Fetched(List.of(handOver.job()), handOver.next(), FetchResult.NOTHING,
				handOver.now(), 0));
	}

	/**
	 * Tells the outcomes and fetches, by one call.
	 * @return whether it was applied; otherwise the shard is to be left
	 */
	private boolean turn(ShardSlot slot, HeldShard held, Fetch fetch) {
		if (!held.session().isValid()) {
			lose(slot, held);
			return false;
		}
		if (fetch.jobs() > 0) {
			slot.asking();
		}
		FetchResult answer;
		try {
			answer = this.store.turn(held.lease(), held.nextSequence(), List.copyOf(held.outcomes()), fetch);
		}
		catch (RuntimeException ex) {
			held.uncertain();
			unanswered(slot, held, ex);
			return false;
		}
		this.watch.succeeded(slot.shard());
		held.answered();
		if (answer instanceof FetchResult.Fetched applied) {
			applied(slot, held, applied);
			return true;
		}
		if (answer instanceof FetchResult.HandedOver handedOver) {
			handedOver(slot, held, handedOver.handOver());
			return true;
		}
		if (answer instanceof FetchResult.Fenced) {
			fenced(slot, held);
			return false;
		}
		held.uncertain();
		return recover(slot, held);
	}

	private void applied(ShardSlot slot, HeldShard held, FetchResult.Fetched applied) {
		long nanos = this.nanoTime.getAsLong();
		held.outcomes().clear();
		held.turnAt(nanos);
		held.fetched().addAll(applied.jobs());
		slot.agenda(Agenda.of(applied.next(), applied.nextSuspect(), applied.now(), nanos));
		buried(slot, applied.buried());
		if (held.fetched().stream().noneMatch(ShardWork::isSuspect)) {
			freeSuspects(held);
		}
	}

	/**
	 * After a lost answer, takes the lease anew with a higher epoch, so that the lost
	 * call can't be applied any more, and learns whether it was. If that can't be told,
	 * because an earlier try was applied late, all that was under way comes again.
	 * @return whether the shard is held and nothing is uncertain
	 */
	private boolean recover(ShardSlot slot, HeldShard held) {
		if (!held.isUncertain()) {
			return true;
		}
		if (!held.session().isValid()) {
			lose(slot, held);
			return false;
		}
		Acquisition answer;
		try {
			answer = this.store.acquire(slot.shard(), Claim.again(held.lease(), held.sequence()));
		}
		catch (RuntimeException ex) {
			unanswered(slot, held, ex);
			return false;
		}
		this.watch.succeeded(slot.shard());
		held.answered();
		if (answer instanceof Acquisition.Acquired acquired) {
			goOn(slot, held, acquired);
			return true;
		}
		fenced(slot, held);
		return false;
	}

	private void goOn(ShardSlot slot, HeldShard held, Acquisition.Acquired acquired) {
		held.goOn(acquired.lease());
		if (!acquired.kept()) {
			// What was busy in the store was put back
			held.outcomes().clear();
			held.fetched().clear();
			freeSuspects(held);
			if (acquired.restored() > 0) {
				this.observer.restored(slot.queue().name(), acquired.restored());
			}
		}
		slot.agenda(Agenda.of(acquired.next(), acquired.nextSuspect(), acquired.now(), this.nanoTime.getAsLong()));
		slot.wake();
	}

	private void unanswered(ShardSlot slot, HeldShard held, RuntimeException problem) {
		this.watch.failed(slot.shard(), problem);
		held.backOff(this.nanoTime.getAsLong());
	}

	private void fenced(ShardSlot slot, HeldShard held) {
		this.observer.fenced(slot.queue().name());
		lose(slot, held);
	}

	private void freeSuspects(HeldShard held) {
		if (held.hasSuspectPermit()) {
			held.suspectPermit(false);
			this.suspects.release();
			this.suspectsFreed.run();
		}
	}

	private void buried(ShardSlot slot, int payloads) {
		if (payloads > 0) {
			this.observer.buried(slot.queue().name(), payloads);
		}
	}

	private static boolean isSuspect(FetchedJob job) {
		return job.crashes() > 0;
	}

	private static int payloadsBuriedBy(Outcome outcome) {
		if (outcome instanceof Outcome.Reject reject) {
			return reject.payloads().size();
		}
		return (outcome instanceof Outcome.Bury) ? 1 : 0;
	}

}
