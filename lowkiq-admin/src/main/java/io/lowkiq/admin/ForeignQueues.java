package io.lowkiq.admin;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

import io.lowkiq.internal.LogText;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.node.Member;
import io.lowkiq.store.node.NodeInfo;
import io.lowkiq.store.node.QueueUse;

/**
 * Finds queues that two applications on one store seem to have workers for. A node of an
 * older version is not compared. Neither are nodes of one application: after a class was
 * renamed, old and new ones run at the same time. Thread-safe.
 */
public final class ForeignQueues {

	private final RedisStore store;

	/**
	 * Looks into a store.
	 * @param store the store
	 */
	public ForeignQueues(RedisStore store) {
		this.store = store;
	}

	/**
	 * Finds the queues of an application for which another one seems to have workers,
	 * too.
	 * @param application the name of the application; may be blank
	 * @return the queues in the order of their names; empty if no node of the application
	 * runs
	 * @throws io.lowkiq.StoreException if the store can't be reached
	 */
	public List<ForeignQueue> of(String application) {
		return among(this.store.livingNodes().look().living().stream().map(Member::info).toList()).stream()
			.filter((queue) -> queue.payloadTypes().containsKey(application))
			.toList();
	}

	/**
	 * Compares what nodes say of themselves.
	 * @param nodes the nodes
	 * @return the queues in the order of their names
	 */
	public static List<ForeignQueue> among(Collection<NodeInfo> nodes) {
		Map<String, List<NodeInfo>> byQueue = new TreeMap<>();
		nodes.forEach((node) -> node.payloadTypes()
			.keySet()
			.forEach((queue) -> byQueue.computeIfAbsent(queue, (key) -> new ArrayList<>()).add(node)));
		List<ForeignQueue> found = new ArrayList<>();
		byQueue.forEach((queue, users) -> kind(queue, users)
			.ifPresent((kind) -> found.add(new ForeignQueue(queue, kind, payloadTypes(queue, users),
					users.stream()
						.filter((node) -> node.foreignQueues().contains(queue))
						.map(NodeInfo::application)
						.collect(Collectors.toSet())))));
		return List.copyOf(found);
	}

	private static Optional<Kind> kind(String queue, List<NodeInfo> users) {
		if (users.stream().allMatch((node) -> node.sharedQueues().contains(queue))) {
			return Optional.empty();
		}
		Set<QueueUse> uses = users.stream()
			.flatMap((node) -> node.use(queue).stream())
			.collect(Collectors.toCollection(HashSet::new));
		if (uses.stream().anyMatch((use) -> uses.stream().anyMatch(use::isForeignTo))) {
			return Optional.of(Kind.FOREIGN);
		}
		if (uses.stream().filter(QueueUse::isNamed).map(QueueUse::application).distinct().count() > 1) {
			return Optional.of(Kind.SHARED);
		}
		boolean isUnnamed = uses.stream().anyMatch((use) -> !use.isNamed());
		return (isUnnamed && uses.stream().map(QueueUse::payloadType).distinct().count() > 1)
				? Optional.of(Kind.UNNAMED) : Optional.empty();
	}

	private static SortedMap<String, Set<String>> payloadTypes(String queue, List<NodeInfo> users) {
		SortedMap<String, Set<String>> types = new TreeMap<>();
		users.stream()
			.flatMap((node) -> node.use(queue).stream())
			.forEach(
					(use) -> types.computeIfAbsent(use.application(), (key) -> new TreeSet<>()).add(use.payloadType()));
		return types;
	}

	/** The relation of the applications, as far as it is known. */
	public enum Kind {

		/**
		 * Applications of different names expect different payloads: each would perform
		 * jobs of the other.
		 */
		FOREIGN,

		/** Applications of different names expect the same payloads. */
		SHARED,

		/** Nodes expect different payloads, and some have no application name. */
		UNNAMED

	}

	/**
	 * A queue that several applications seem to have workers for.
	 *
	 * @param queue its name
	 * @param kind what is known of the applications
	 * @param payloadTypes the names of the payload types of each application, by the
	 * application's name
	 * @param leftBy the names of the applications that leave the queue to another one
	 */
	public record ForeignQueue(String queue, Kind kind, SortedMap<String, Set<String>> payloadTypes,
			Set<String> leftBy) {

		public ForeignQueue {
			payloadTypes = Collections.unmodifiableSortedMap(new TreeMap<>(payloadTypes));
			leftBy = Set.copyOf(leftBy);
		}

		/**
		 * The applications and their payload types, for people.
		 * @return a text without line breaks, such as
		 * {@code billing (com.acme.Invoice), shop (com.acme.Order)}
		 */
		public String describe() {
			return this.payloadTypes.entrySet()
				.stream()
				.map((types) -> "%s (%s)".formatted(
						types.getKey().isBlank() ? "an application without a name" : LogText.of(types.getKey()),
						LogText.of(String.join(", ", types.getValue()))))
				.collect(Collectors.joining(", "));
		}

		/**
		 * The situation, for people.
		 * @return a sentence or two without line breaks, with the name of the queue
		 */
		public String sentence() {
			return switch (this.kind) {
				case FOREIGN -> this.leftBy.isEmpty()
						? "Queue %s is served by several applications with different payloads: %s. Each performs jobs of the other."
							.formatted(this.queue, describe())
						: "Several applications have workers for queue %s, with different payloads: %s. %s left it to another, so its jobs are performed there."
							.formatted(this.queue, describe(), leavers());
				case SHARED ->
					"Queue %s is served by several applications with the same payloads: %s. A deploy that renames the application looks the same until its last old node has ended."
						.formatted(this.queue, describe());
				case UNNAMED ->
					"Queue %s is served with different payloads: %s. A deploy that renames a class looks the same until its last old node has ended; otherwise, applications perform each other's jobs."
						.formatted(this.queue, describe());
			};
		}

		private String leavers() {
			return this.leftBy.stream().sorted().map(LogText::of).collect(Collectors.joining(", "));
		}

	}

}
