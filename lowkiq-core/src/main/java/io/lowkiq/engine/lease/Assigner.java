package io.lowkiq.engine.lease;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.lowkiq.engine.lease.BalancedAssignment.Node;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.QueueRegistry;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.node.Assignment;
import io.lowkiq.store.node.Member;
import io.lowkiq.store.node.Membership;
import io.lowkiq.store.node.NodeRegistry;
import io.lowkiq.store.node.NodeRegistry.AssignedShards;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The shards that are assigned to this node. Two nodes that both believe they joined
 * first do no harm: the registry accepts one assignment of a version. Used by one thread.
 */
final class Assigner {

	private static final Logger logger = LoggerFactory.getLogger(Assigner.class);

	private final NodeRegistry nodes;

	private final QueueRegistry queues;

	/** The input for which the assignment was last computed, or found to be right. */
	private @Nullable Settled settled;

	private @Nullable Own own;

	private record Settled(List<Node> nodes, long version) {
	}

	private record Own(String session, AssignedShards assigned) {
	}

	Assigner(NodeRegistry nodes, QueueRegistry queues) {
		this.nodes = nodes;
		this.queues = queues;
	}

	/**
	 * Brings the assignment up to date, if that is this node's task, and looks up the
	 * node's own part.
	 */
	Set<Shard> assigned(Session session, Membership seen) {
		long version = settle(session, seen);
		Own known = this.own;
		if (known == null || !known.session().equals(session.id()) || known.assigned().version() != version) {
			known = new Own(session.id(), this.nodes.assignedTo(session.id()));
			this.own = known;
		}
		return known.assigned().shards();
	}

	/** Returns the version of the assignment. */
	private long settle(Session session, Membership seen) {
		List<Node> sharing = sharing(seen);
		Settled now = new Settled(sharing, seen.assignmentVersion());
		if (sharing.isEmpty() || !sharing.get(0).session().equals(session.id()) || now.equals(this.settled)) {
			return seen.assignmentVersion();
		}
		Assignment current = this.nodes.assignment();
		Map<Shard, String> owners = BalancedAssignment.assign(shared(sharing), sharing, current.owners());
		long version = current.version();
		if (!owners.equals(current.owners())) {
			Assignment next = new Assignment(version + 1, owners);
			if (!this.nodes.assign(next)) {
				return version;
			}
			logger.debug("Assigned {} shards to {} nodes", owners.size(), sharing.size());
			version = next.version();
		}
		this.settled = new Settled(sharing, version);
		return version;
	}

	/**
	 * The nodes that share, in the order in which they joined. Of a node with two
	 * sessions only the younger one takes part: the other has lapsed, and only the
	 * registry doesn't know it yet.
	 */
	private static List<Node> sharing(Membership seen) {
		Map<String, Member> youngest = new HashMap<>();
		seen.members().forEach((member) -> youngest.put(Session.family(member.session()), member));
		return seen.members()
			.stream()
			.filter((member) -> member.equals(youngest.get(Session.family(member.session()))))
			.filter((member) -> !member.info().queues().isEmpty())
			.map((member) -> new Node(member.session(), member.info().queues()))
			.toList();
	}

	private Collection<QueueLayout> shared(List<Node> sharing) {
		Set<String> names = new HashSet<>();
		sharing.forEach((node) -> names.addAll(node.queues()));
		return this.queues.all().stream().filter((layout) -> names.contains(layout.name())).toList();
	}

}
