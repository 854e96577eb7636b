package io.lowkiq.store.node;

import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import io.lowkiq.store.job.Shard;

/**
 * The session that should have each shard, as the oldest node has worked it out. It only
 * says who asks for a lease: a wrong one costs time, not order (I1). The version grows by
 * one; it is 0 if there was none.
 */
public record Assignment(long version, Map<Shard, String> owners) {

	/** No shard is assigned to anybody. */
	public static final Assignment NONE = new Assignment(0, Map.of());

	public Assignment {
		owners = Map.copyOf(owners);
	}

	public Set<Shard> of(String session) {
		return this.owners.entrySet()
			.stream()
			.filter((entry) -> entry.getValue().equals(session))
			.map(Map.Entry::getKey)
			.collect(Collectors.toUnmodifiableSet());
	}

}
