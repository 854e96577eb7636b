package io.lowkiq.redis.wire;

import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

import io.lowkiq.store.job.Shard;

/** A session's shards as text: for each queue a line {@code name:generation=0,1,5}. */
public final class AssignmentText {

	private AssignmentText() {
	}

	public static String format(Collection<Shard> shards) {
		return shards.stream()
			.collect(Collectors.groupingBy((shard) -> shard.queue() + ":" + shard.generation(), TreeMap::new,
					Collectors.mapping(Shard::index, Collectors.toCollection(TreeSet::new))))
			.entrySet()
			.stream()
			.map((queue) -> queue.getKey() + "="
					+ queue.getValue().stream().map(String::valueOf).collect(Collectors.joining(",")))
			.collect(Collectors.joining("\n"));
	}

	/** Reads what {@link #format} wrote. */
	public static Set<Shard> parse(String text) {
		Set<Shard> shards = new HashSet<>();
		try {
			for (String queue : text.lines().toList()) {
				int end = queue.indexOf('=');
				for (String index : queue.substring(end + 1).split(",", -1)) {
					shards.add(Shard.parse(queue.substring(0, end) + ":" + index));
				}
			}
			return shards;
		}
		catch (IllegalArgumentException | IndexOutOfBoundsException ex) {
			return Set.of();
		}
	}

}
