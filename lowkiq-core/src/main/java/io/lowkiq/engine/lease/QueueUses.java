package io.lowkiq.engine.lease;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.lowkiq.internal.DurationText;
import io.lowkiq.internal.LogText;
import io.lowkiq.store.Store;
import io.lowkiq.store.node.Member;
import io.lowkiq.store.node.NodeInfo;
import io.lowkiq.store.node.QueueUse;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Leaves queues to the application that is recorded with them, if that has another name
 * and expects other payloads. A node that serves records its use again if the store has
 * lost it; one that was refused takes the queue when no node of the recorded application
 * has lived for a lease. Thread-safe.
 */
final class QueueUses {

	private static final Logger logger = LoggerFactory.getLogger(QueueUses.class);

	private final Store store;

	private final ServedShards shards;

	private final Supplier<NodeInfo> own;

	private final Duration leaseDuration;

	private final LongSupplier nanoTime;

	private final Consumer<Map<String, String>> listener;

	/** By queue. Used with the monitor, as the following. */
	private final Map<String, Refusal> refusals = new HashMap<>();

	private long askedAt;

	/**
	 * The refusal of a queue.
	 *
	 * @param recorded null for none
	 */
	private record Refusal(@Nullable QueueUse recorded, long since) {
	}

	/** Serves all queues until it is asked. */
	QueueUses(Store store, ServedShards shards, Supplier<NodeInfo> own, Duration leaseDuration, LongSupplier nanoTime,
			Consumer<Map<String, String>> listener) {
		this.store = store;
		this.shards = shards;
		this.own = own;
		this.leaseDuration = leaseDuration;
		this.nanoTime = nanoTime;
		this.listener = listener;
	}

	/** Requests all queues before the node joins. */
	synchronized void joining() {
		if (isNamed()) {
			ask(this.store.nodes().members().members(), true);
		}
	}

	/** Asks again: at each heartbeat while a queue is refused, else once a lease. */
	synchronized void seen(List<Member> members) {
		if (isNamed() && (!this.refusals.isEmpty() || isPast(this.askedAt))) {
			ask(members, false);
		}
	}

	private boolean isNamed() {
		return !this.own.get().application().isBlank();
	}

	private boolean isPast(long begin) {
		return this.nanoTime.getAsLong() - begin >= this.leaseDuration.toNanos();
	}

	private void ask(List<Member> members, boolean starting) {
		Question question = new Question(this.own.get(), members, starting);
		Map<String, QueueUse> recorded = this.store.queues().uses();
		question.node.payloadTypes().keySet().forEach((queue) -> ask(question, queue, recorded.get(queue)));
		this.askedAt = this.nanoTime.getAsLong();
		this.listener.accept(this.shards.foreign());
	}

	private void ask(Question question, String queue, @Nullable QueueUse recorded) {
		QueueUse use = question.node.use(queue).orElseThrow();
		boolean isShared = question.node.sharedQueues().contains(queue);
		boolean wasLeft = this.shards.foreign().containsKey(queue);
		boolean isRefused = !isShared && ((recorded != null) ? use.isForeignTo(recorded)
				: wasLeft || (question.starting && question.foreign(queue).isPresent()));
		// A person may have started it
		boolean isStarted = this.refusals.containsKey(queue) && !wasLeft;
		if (isRefused && !isStarted && !mayTake(question, queue, recorded)) {
			refuse(question, queue, recorded);
			return;
		}
		boolean begins = question.starting || wasLeft || isRefused;
		if (recorded == null || (begins && !isShared && !use.equals(recorded))) {
			QueueUse now = this.store.queues().recordUse(queue, recorded, use);
			if (!now.equals(use)) {
				ask(question, queue, now);
				return;
			}
			if (recorded != null && !recorded.application().equals(use.application())) {
				logger.warn("Queue '{}' of {} is served by application {} now, with the payload type {}", queue,
						describe(recorded), LogText.of(use.application()), LogText.of(use.payloadType()));
			}
		}
		this.refusals.remove(queue);
		if (wasLeft) {
			this.shards.leave(queue, null);
			logger.info("Queue '{}' is served by node {} now", queue, question.node.node());
		}
	}

	/** Whether no living node has kept a refused queue from this one for a lease. */
	private boolean mayTake(Question question, String queue, @Nullable QueueUse recorded) {
		Refusal before = this.refusals.get(queue);
		boolean isKept = question.starting
				|| ((recorded != null) ? question.lives(recorded.application()) : question.foreign(queue).isPresent());
		Refusal refusal = (before != null && !isKept && Objects.equals(before.recorded, recorded)) ? before
				: new Refusal(recorded, this.nanoTime.getAsLong());
		this.refusals.put(queue, refusal);
		return isPast(refusal.since);
	}

	private void refuse(Question question, String queue, @Nullable QueueUse recorded) {
		QueueUse other = (recorded != null) ? recorded : question.foreign(queue).orElse(null);
		if (other == null) {
			return;
		}
		QueueUse use = question.node.use(queue).orElseThrow();
		String sentence = ("Queue '%1$s' belongs to %2$s; this is application %3$s with the payload type %4$s. "
				+ "Give one of them another queue name, or another lowkiq.key-prefix. "
				+ "If each can read the payloads of the other, set lowkiq.workers.%1$s.shared=true in both")
			.formatted(queue, describe(other), LogText.of(use.application()), LogText.of(use.payloadType()));
		if (!this.shards.foreign().containsKey(queue)) {
			logger.warn("Node {} leaves a queue until no node of the other application has lived for {}: {}",
					question.node.node(), DurationText.of(this.leaseDuration), sentence);
		}
		this.shards.leave(queue, sentence);
	}

	private static String describe(QueueUse use) {
		return "application %s with the payload type %s".formatted(LogText.of(use.application()),
				LogText.of(use.payloadType()));
	}

	/** The state of the node when it asks. */
	private record Question(NodeInfo node, List<Member> members, boolean starting) {

		boolean lives(String application) {
			return this.members.stream().anyMatch((member) -> member.info().application().equals(application));
		}

		/** The use of a living node that serves a queue for another application. */
		Optional<QueueUse> foreign(String queue) {
			return this.members.stream()
				.map(Member::info)
				.filter((info) -> !info.foreignQueues().contains(queue))
				.flatMap((info) -> info.use(queue).stream())
				.filter((use) -> this.node.use(queue).filter(use::isForeignTo).isPresent())
				.findFirst();
		}

	}

}
