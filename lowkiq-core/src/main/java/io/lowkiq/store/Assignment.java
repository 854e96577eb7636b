package io.lowkiq.store;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Which session is to have which shard, as the oldest node has worked it out for all. It
 * only says who asks for a lease: a wrong one costs time, not order (I1).
 *
 * @param version grows by one with every new assignment; 0 if there was none
 * @param owners the session of each shard
 */
public record Assignment(long version, Map<Shard, String> owners) {

	/** No shard is assigned to anybody. */
	public static final Assignment NONE = new Assignment(0, Map.of());

	public Assignment {
		owners = Map.copyOf(owners);
	}

	/**
	 * The shards of a session.
	 * @param session the session
	 * @return its shards
	 */
	public Set<Shard> of(String session) {
		return this.owners.entrySet()
			.stream()
			.filter((entry) -> entry.getValue().equals(session))
			.map(Map.Entry::getKey)
			.collect(Collectors.toUnmodifiableSet());
	}

	/**
	 * The owners as text: a line with all sessions, then a line for each queue with the
	 * session of each of its shards, as a place in the first line, empty for none.
	 * @return the text
	 */
	public String encode() {
		Map<String, Integer> places = new LinkedHashMap<>();
		Map<String, TreeMap<Integer, Integer>> queues = new TreeMap<>();
		new TreeMap<>(this.owners).forEach((shard, session) -> {
			int place = places.computeIfAbsent(session, (key) -> places.size());
			queues.computeIfAbsent(shard.queue() + ":" + shard.generation(), (key) -> new TreeMap<>())
				.put(shard.index(), place);
		});
		StringBuilder text = new StringBuilder(String.join(",", places.keySet()));
		queues.forEach((queue, shards) -> {
			text.append('\n').append(queue).append('=');
			for (int i = 0; i <= shards.lastKey(); i++) {
				text.append((i > 0) ? "," : "").append(shards.containsKey(i) ? shards.get(i) : "");
			}
		});
		return text.toString();
	}

	/**
	 * Reads what {@link #encode()} wrote.
	 * @param version the version
	 * @param text the text
	 * @return the assignment; of a text of another form, no shard is assigned
	 */
	public static Assignment parse(long version, String text) {
		try {
			return new Assignment(version, owners(text));
		}
		catch (IllegalArgumentException | IndexOutOfBoundsException ex) {
			return new Assignment(version, Map.of());
		}
	}

	private static Map<Shard, String> owners(String text) {
		Map<Shard, String> owners = new HashMap<>();
		List<String> lines = new ArrayList<>(text.lines().toList());
		List<String> sessions = lines.isEmpty() ? List.of() : List.of(lines.remove(0).split(","));
		for (String line : lines) {
			int end = line.indexOf('=');
			String[] places = line.substring(end + 1).split(",", -1);
			for (int i = 0; i < places.length; i++) {
				if (!places[i].isEmpty()) {
					owners.put(Shard.parse(line.substring(0, end) + ":" + i),
							sessions.get(Integer.parseInt(places[i])));
				}
			}
		}
		return owners;
	}

}
