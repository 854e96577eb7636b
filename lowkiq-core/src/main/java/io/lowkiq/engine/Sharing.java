package io.lowkiq.engine;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.lowkiq.engine.BalancedAssignment.Node;
import io.lowkiq.store.Assignment;
import io.lowkiq.store.Member;
import io.lowkiq.store.Membership;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.Shard;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which of the served shards this node is to have. The node that has lived the longest
 * among those that share works the assignment out for all whenever one comes or goes; the
 * others read it. Two nodes that both think they are the oldest don't disturb each other:
 * the registry takes one assignment of a version. Used by the ownership thread only.
 */
final class Sharing {

	private static final Logger logger = LoggerFactory.getLogger(Sharing.class);

	private final ServerParts parts;

	private final ServedShards shards;

	/** What the assignment was last worked out, or found right, for. */
	private @Nullable Settled settled;

	private record Settled(List<Node> nodes, long version) {
	}

	Sharing(ServerParts parts, ServedShards shards) {
		this.parts = parts;
		this.shards = shards;
	}

	/**
	 * Brings the assignment up to date, if that is this node's part.
	 * @param session the node's session
	 * @param seen the sessions and the assignment as last seen
	 * @return the assignment that holds now
	 * @throws io.lowkiq.store.StoreException if the store is out of reach
	 */
	Assignment settle(Session session, Membership seen) {
		Assignment current = seen.assignment();
		List<Node> nodes = sharing(seen);
		Settled now = new Settled(nodes, current.version());
		if (nodes.isEmpty() || !nodes.get(0).session().equals(session.id()) || now.equals(this.settled)) {
			return current;
		}
		Map<Shard, String> owners = BalancedAssignment.assign(shared(nodes), nodes, current.owners());
		if (!owners.equals(current.owners())) {
			Assignment next = new Assignment(current.version() + 1, owners);
			if (!this.parts.nodes().assign(next)) {
				return current;
			}
			logger.info("Assigned {} shards to {} nodes", owners.size(), nodes.size());
			current = next;
			now = new Settled(nodes, next.version());
		}
		this.settled = now;
		return current;
	}

	/**
	 * The slots that this node is to hold.
	 * @param session the node's session
	 * @param assignment the assignment
	 * @return the slots in the order of the splitter
	 */
	List<ShardSlot> wanted(Session session, Assignment assignment) {
		if (this.shards.isFixed()) {
			return this.shards.ordered();
		}
		Set<Shard> own = assignment.of(session.id());
		return this.shards.ordered().stream().filter((slot) -> own.contains(slot.shard())).toList();
	}

	/**
	 * The nodes that share, the longest living first. Of a node with two sessions only
	 * the younger one takes part: the other has lapsed, and only the registry doesn't
	 * know it yet.
	 */
	private static List<Node> sharing(Membership seen) {
		Map<String, Member> youngest = new HashMap<>();
		seen.members().forEach((member) -> youngest.put(Session.family(member.session()), member));
		return seen.members()
			.stream()
			.filter((member) -> member.equals(youngest.get(Session.family(member.session()))))
			.filter((member) -> !member.info().queues().isEmpty())
			.map((member) -> new Node(member.session(), Set.copyOf(member.info().queues())))
			.toList();
	}

	private Collection<QueueLayout> shared(List<Node> nodes) {
		Set<String> names = new HashSet<>();
		nodes.forEach((node) -> names.addAll(node.queues()));
		Map<String, QueueLayout> layouts = new HashMap<>();
		this.parts.queues()
			.all()
			.stream()
			.filter((layout) -> names.contains(layout.name()))
			.forEach((layout) -> layouts.put(layout.name(), layout));
		return layouts.values();
	}

}
