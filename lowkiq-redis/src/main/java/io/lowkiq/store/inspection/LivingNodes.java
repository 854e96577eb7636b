package io.lowkiq.store.inspection;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;

import io.lowkiq.store.node.Member;
import io.lowkiq.store.node.NodeRegistry;
import io.lowkiq.store.node.SessionWatch;

/**
 * The nodes that live, as far as somebody can tell who is no node: while none runs, no
 * session in the registry is ended, however long its node has been dead. Thread-safe.
 */
public final class LivingNodes {

	private final NodeRegistry nodes;

	private final LongSupplier nanoTime;

	/** Guarded by the monitor. */
	private final SessionWatch sessions = new SessionWatch();

	public LivingNodes(NodeRegistry nodes) {
		this(nodes, System::nanoTime);
	}

	public LivingNodes(NodeRegistry nodes, LongSupplier nanoTime) {
		this.nodes = nodes;
		this.nanoTime = nanoTime;
	}

	/** Looks at the sessions, and throws if the store can't be reached. */
	public Look look() {
		long asked = this.nanoTime.getAsLong();
		List<Member> members = this.nodes.members().members();
		synchronized (this) {
			this.sessions.seen(members, "", this.nanoTime.getAsLong());
			Set<Member> dead = new HashSet<>(this.sessions.dead(asked));
			return new Look(members.stream().filter((member) -> !dead.contains(member)).toList(),
					members.stream().filter(dead::contains).toList());
		}
	}

	/** The sessions at a time. */
	public record Look(List<Member> living, List<Member> dead) {
	}

}
