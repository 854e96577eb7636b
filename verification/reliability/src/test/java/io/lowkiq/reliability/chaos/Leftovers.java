package io.lowkiq.reliability.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.lowkiq.reliability.history.Event;
import io.lowkiq.reliability.program.Workload;

import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * What is in the shards when a run has ended: read from the keys themselves, not by the
 * code that is on trial.
 */
final class Leftovers {

	/** A payload's own number; what follows it comes before it. */
	private static final Pattern NUMBER = Pattern.compile(".*\"number\":(\\d+)", Pattern.DOTALL);

	private static final String FOLLOW_UPS = "follow-ups";

	private final StringRedisTemplate redis;

	private final String prefix;

	private final int shards;

	/** What is left under a prefix. */
	Leftovers(StringRedisTemplate redis, String prefix, int shards) {
		this.redis = redis;
		this.prefix = prefix;
		this.shards = shards;
	}

	/** How many jobs are queued or busy, or follow others. */
	long count() {
		long count = 0;
		for (String base : bases()) {
			count += this.redis.opsForHash().size(base + "jobs") + this.redis.opsForHash().size(base + "busy")
					+ followUps(base).size();
		}
		return count;
	}

	/** What is left, and what is dead. */
	List<Event> events() {
		List<Event> events = new ArrayList<>();
		for (String base : bases()) {
			String queue = base.substring(base.indexOf('{') + 1, base.indexOf(':', base.indexOf('{')));
			for (String state : List.of("jobs", "busy")) {
				ids(base + state).forEach((id) -> events.add(new Event.FoundLeft(System.nanoTime(), queue, id)));
			}
			followUps(base)
				.forEach((followUp) -> events.add(new Event.FoundLeft(System.nanoTime(), queue, FOLLOW_UPS)));
			for (String id : ids(base + "morgue")) {
				for (String payload : payloads(base + "d:" + id)) {
					Matcher number = NUMBER.matcher(payload);
					if (number.find()) {
						events.add(new Event.FoundDead(System.nanoTime(), queue, id, Long.parseLong(number.group(1))));
					}
				}
			}
		}
		return events;
	}

	private Set<String> ids(String key) {
		return this.redis.<String, String>opsForHash().keys(key);
	}

	private Set<String> payloads(String key) {
		Set<String> payloads = this.redis.opsForZSet().range(key, 0, -1);
		return (payloads != null) ? payloads : Set.of();
	}

	/** What follows jobs and is not in its queue; the others have negative scores. */
	private Set<String> followUps(String base) {
		Set<String> followUps = this.redis.opsForZSet().rangeByScore(base + FOLLOW_UPS, 0, Double.MAX_VALUE);
		return (followUps != null) ? followUps : Set.of();
	}

	private List<String> bases() {
		List<String> bases = new ArrayList<>();
		for (String queue : Workload.QUEUES) {
			for (int shard = 0; shard < this.shards; shard++) {
				bases.add("%s:{%s:1:%d}:".formatted(this.prefix, queue, shard));
			}
		}
		return bases;
	}

}
