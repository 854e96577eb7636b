package io.lowkiq.dashboard;

import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.lowkiq.store.Member;
import io.lowkiq.store.inspection.QueueReading;

/**
 * What the store holds at a time: the counts of all queues, and the living nodes.
 *
 * @param now the store's time, in milliseconds since 1970
 * @param queues the queues by name
 * @param members the living sessions
 * @param reports what the nodes do, as JSON, by session
 */
record ClusterReading(long now, List<QueueReading> queues, List<Member> members, Map<String, String> reports) {

	Optional<QueueReading> queue(String name) {
		return this.queues.stream().filter((queue) -> queue.layout().name().equals(name)).findFirst();
	}

	Optional<Member> member(String session) {
		return this.members.stream().filter((member) -> member.session().equals(session)).findFirst();
	}

}
