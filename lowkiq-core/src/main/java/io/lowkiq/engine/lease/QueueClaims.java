package io.lowkiq.engine.lease;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;

import io.lowkiq.internal.LogText;
import io.lowkiq.store.Member;
import io.lowkiq.store.Membership;
import io.lowkiq.store.NodeInfo;
import io.lowkiq.store.QueueUse;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The node's claims to its queues: it leaves a queue to another application that served
 * it first and expects other payloads. Decided once for each queue, before its first
 * fetch: what was served is never left, and what was left is not taken over when the
 * other application is being restarted. The exception is one whose node turns out to be
 * dead: it is claimed by a heartbeat, and served when the answer shows that no other was
 * faster. Used by the thread of the heartbeat.
 */
final class QueueClaims {

	private static final Logger logger = LoggerFactory.getLogger(QueueClaims.class);

	private final ServedShards shards;

	private final Supplier<NodeInfo> own;

	private final boolean refusing;

	private final Set<String> decided = new HashSet<>();

	/**
	 * The heartbeats, by session, of nodes to which a queue was left, by queue, until one
	 * of these nodes has shown that it lives.
	 */
	private final Map<String, Map<String, Long>> unproven = new HashMap<>();

	/**
	 * The unproven queues that the next heartbeat claims. They are served if no other
	 * application serves them when it is answered.
	 */
	private final Set<String> claimed = new HashSet<>();

	/** Claims nothing yet. */
	QueueClaims(ServedShards shards, Supplier<NodeInfo> own, boolean refusing) {
		this.shards = shards;
		this.own = own;
		this.refusing = refusing;
	}

	/**
	 * Describes the node to others, as if it served the queues that it only claims.
	 */
	NodeInfo published() {
		NodeInfo node = this.own.get();
		Set<String> foreign = new HashSet<>(node.foreignQueues());
		foreign.removeAll(this.claimed);
		return new NodeInfo(node.node(), node.startedAt(), node.leaseDuration(), node.queues(), node.stopping(),
				node.application(), node.payloadTypes(), node.build(), foreign, node.sharedQueues());
	}

	/** Whether sessions matter for a queue that is not decided. */
	boolean isUndecided() {
		return !undecided(this.own.get()).isEmpty();
	}

	private List<String> undecided(NodeInfo node) {
		return (!this.refusing || node.application().isBlank()) ? List.of()
				: node.payloadTypes().keySet().stream().filter((queue) -> !this.decided.contains(queue)).toList();
	}

	/**
	 * Leaves the queues that others claim. The others are claimed, but not decided, since
	 * a node may join before this one.
	 */
	void joining(Membership seen) {
		NodeInfo node = this.own.get();
		undecided(node).forEach((queue) -> this.shards.leave(queue, null));
		leave(node, seen.members());
	}

	/**
	 * Leaves the queues that others have claimed before this node, and decides that the
	 * rest is served.
	 */
	boolean joined(String session, Membership seen) {
		List<Member> before = seen.members().stream().takeWhile((member) -> !member.session().equals(session)).toList();
		NodeInfo node = this.own.get();
		boolean left = leave(node, before);
		this.decided.addAll(node.payloadTypes().keySet());
		return left;
	}

	private boolean leave(NodeInfo node, List<Member> others) {
		boolean left = false;
		for (String queue : undecided(node)) {
			List<Member> foreign = foreign(node, queue, others);
			if (!foreign.isEmpty() && !isServedByOwn(node, queue, others)) {
				String application = describe(queue, foreign.get(0));
				this.shards.leave(queue, application);
				this.decided.add(queue);
				Map<String, Long> beats = new HashMap<>();
				foreign.forEach((member) -> beats.put(member.session(), member.beats()));
				this.unproven.put(queue, beats);
				left = true;
				logger.warn("Queue '{}' is not served by node {}: it is left to {}. "
						+ "Give one of the applications another queue name, or another lowkiq.key-prefix. "
						+ "If this one is to take the queue over, start the queue here, or restart this node, when no other serves it",
						queue, node.node(), application);
			}
		}
		return left;
	}

	/** The nodes that serve a queue for another application, with other payloads. */
	private static List<Member> foreign(NodeInfo node, String queue, List<Member> others) {
		return others.stream()
			.filter((member) -> !member.info().foreignQueues().contains(queue))
			.filter((member) -> member.info()
				.use(queue)
				.filter((use) -> node.use(queue).filter(use::isForeignTo).isPresent())
				.isPresent())
			.toList();
	}

	/**
	 * Whether a node of the same application serves a queue. A claim counts only after a
	 * heartbeat, which withdraws it if another node was faster.
	 */
	private static boolean isServedByOwn(NodeInfo node, String queue, List<Member> others) {
		return others.stream()
			.filter((member) -> member.beats() > 0 && member.info().application().equals(node.application()))
			.anyMatch((member) -> member.info().payloadTypes().containsKey(queue)
					&& !member.info().foreignQueues().contains(queue));
	}

	private static String describe(String queue, Member other) {
		return "application %s (node %s), which serves it with the payload type %s".formatted(
				LogText.of(other.info().application()), LogText.of(other.info().node()),
				LogText.of(String.valueOf(other.info().payloadTypes().get(queue))));
	}

	/**
	 * Takes over the queues that were left to dead nodes: claims them, and serves them
	 * from the next heartbeat on, if still no other application does. Of two that claim a
	 * queue, the later one sees the other.
	 */
	boolean seen(Membership seen) {
		NodeInfo node = this.own.get();
		if (node.stopping()) {
			return false;
		}
		boolean news = false;
		for (String queue : new ArrayList<>(this.unproven.keySet())) {
			Map<String, Long> beats = Objects.requireNonNull(this.unproven.get(queue));
			List<Member> foreign = foreign(node, queue, seen.members());
			if (!node.foreignQueues().contains(queue)) {
				// A person has started it
				decided(queue);
			}
			else if (!foreign.isEmpty()) {
				news |= this.claimed.remove(queue);
				if (foreign.stream().anyMatch((member) -> member.beats() != beats.getOrDefault(member.session(), 0L))) {
					decided(queue);
				}
			}
			else if (this.claimed.add(queue)) {
				news = true;
			}
			else {
				decided(queue);
				this.shards.leave(queue, null);
				logger.info("Queue '{}' is served by this node now: no other application serves it any more", queue);
				news = true;
			}
		}
		return news;
	}

	private void decided(String queue) {
		this.unproven.remove(queue);
		this.claimed.remove(queue);
	}

}
