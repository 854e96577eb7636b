package io.lowkiq.admin;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

import io.lowkiq.internal.LogText;
import io.lowkiq.store.Member;
import io.lowkiq.store.NodeInfo;
import io.lowkiq.store.inspection.InspectableStore;

/**
 * Finds queues that two applications on one store serve with different payload types:
 * each performs jobs of the other. A node whose application has no name, or that is of an
 * older version, is not compared. Neither are nodes of one application: after a class was
 * renamed, old and new ones run at the same time. Thread-safe.
 */
public final class ForeignQueues {

	private final InspectableStore store;

	/**
	 * Looks into a store.
	 * @param store the store
	 */
	public ForeignQueues(InspectableStore store) {
		this.store = store;
	}

	/**
	 * Looks which queues of an application are served by another one, too.
	 * @param application the name of the application
	 * @return the queues in the order of their names; empty if no node of the application
	 * runs
	 * @throws io.lowkiq.store.StoreException if the store can't be reached
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
		Map<String, SortedMap<String, Set<String>>> byQueue = new TreeMap<>();
		for (NodeInfo node : nodes) {
			if (!node.application().isBlank()) {
				node.payloadTypes()
					.forEach((queue, type) -> byQueue.computeIfAbsent(queue, (key) -> new TreeMap<>())
						.computeIfAbsent(node.application(), (key) -> new TreeSet<>())
						.add(type));
			}
		}
		List<ForeignQueue> foreign = new ArrayList<>();
		byQueue.forEach((queue, types) -> {
			if (types.size() > 1 && types.values().stream().flatMap(Set::stream).distinct().count() > 1) {
				foreign.add(new ForeignQueue(queue, types));
			}
		});
		return List.copyOf(foreign);
	}

	/**
	 * A queue that several applications serve.
	 *
	 * @param queue its name
	 * @param payloadTypes the names of the payload types of each application, by the
	 * application's name
	 */
	public record ForeignQueue(String queue, SortedMap<String, Set<String>> payloadTypes) {

		public ForeignQueue {
			payloadTypes = Collections.unmodifiableSortedMap(new TreeMap<>(payloadTypes));
		}

		/**
		 * The applications and their payload types, for people.
		 * @return a text without line breaks, such as
		 * {@code billing (com.acme.Invoice), shop (com.acme.Order)}
		 */
		public String describe() {
			return this.payloadTypes.entrySet()
				.stream()
				.map((types) -> "%s (%s)".formatted(LogText.of(types.getKey()),
						LogText.of(String.join(", ", types.getValue()))))
				.collect(Collectors.joining(", "));
		}

	}

}
