package io.lowkiq.dashboard.cluster;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

import io.lowkiq.admin.NodeActivity;
import io.lowkiq.internal.InternalQueue;
import io.lowkiq.store.inspection.QueueSnapshot;
import io.lowkiq.store.inspection.StrandedShards;
import io.lowkiq.store.node.EndedNode;
import io.lowkiq.store.node.Member;
import org.jspecify.annotations.Nullable;

/**
 * The contents of the store at a time: the counts of all queues, and the living nodes.
 *
 * @param now the store's time, in milliseconds since 1970
 * @param queues the queues by name
 * @param stranded jobs that nobody performs
 * @param members the living sessions
 * @param ended the sessions that ended last, and those that should have been ended, the
 * latest in front
 * @param activities what the nodes do, by session; of one that has crashed, what it did
 * last
 */
public record ClusterSnapshot(long now, List<QueueSnapshot> queues, List<StrandedShards> stranded, List<Member> members,
		List<EndedNode> ended, Map<String, NodeActivity> activities) {

	/** Whether Lowkiq keeps a queue for another queue, as it does for schedules. */
	boolean isInternal(String name) {
		return InternalQueue.of(name).isPresent() && queue(InternalQueue.ownerOf(name)).isPresent();
	}

	/** The queues of applications, without their internal queues. */
	List<QueueSnapshot> ofApplications() {
		return this.queues.stream().filter((queue) -> !isInternal(queue.layout().name())).toList();
	}

	/** The last report of a session, alive or ended; unknown if it has not reported. */
	NodeActivity activity(String session) {
		NodeActivity activity = this.activities.get(session);
		return (activity != null) ? activity : NodeActivity.of(null);
	}

	/** The nodes that crashed: their processes are gone. */
	List<EndedNode> crashed() {
		return this.ended.stream().filter((node) -> node.crashed() && !isBack(node)).toList();
	}

	/** Finds a queue. */
	public Optional<QueueSnapshot> queue(String name) {
		return this.queues.stream().filter((queue) -> queue.layout().name().equals(name)).findFirst();
	}

	/**
	 * After how many retries a job of a queue is not tried again; where the nodes differ,
	 * as in a deploy, the largest number. Null if no node reports it.
	 */
	public @Nullable Integer maxRetryCount(String queue) {
		int most = -1;
		for (Member member : this.members) {
			NodeActivity.QueueSettings settings = activity(member.session()).queues().get(queue);
			most = (settings != null) ? Math.max(most, settings.maxRetryCount()) : most;
		}
		return (most >= 0) ? most : null;
	}

	/**
	 * The nodes: of the living sessions of one process, the last one. After a lapse, the
	 * one before it is in the registry until its lease has run out.
	 */
	List<Member> nodes() {
		return IntStream.range(0, this.members.size())
			.filter((place) -> this.members.subList(place + 1, this.members.size())
				.stream()
				.noneMatch((later) -> later.info().isSameProcess(this.members.get(place).info())))
			.mapToObj(this.members::get)
			.toList();
	}

	/** Whether the node of an ended session runs on with another one. */
	boolean isBack(EndedNode ended) {
		return this.members.stream().anyMatch((member) -> member.info().isSameProcess(ended.info()));
	}

	Optional<Member> member(String session) {
		return this.members.stream().filter((member) -> member.session().equals(session)).findFirst();
	}

}
