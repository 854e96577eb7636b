package io.lowkiq.autoconfigure.redis;

import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Collectors;

import io.lowkiq.internal.LogText;
import io.lowkiq.redis.EvictionPolicy;

/**
 * A line about a Redis, and what an acknowledged job is worth there, by its {@code INFO}.
 */
final class RedisSummary {

	private static final String VERSION = "redis_version";

	/** Engines by the name of their version. */
	private static final List<Map.Entry<String, String>> ENGINES = List.of(Map.entry("valkey_version", "Valkey"),
			Map.entry("redict_version", "Redict"), Map.entry("dragonfly_version", "Dragonfly"),
			Map.entry(VERSION, "Redis"));

	private final Properties info;

	RedisSummary(Properties info) {
		this.info = info;
	}

	/** The policies of all servers by which they make room; none if they aren't told. */
	List<String> evictionPolicies() {
		return values("maxmemory_policy");
	}

	private List<String> values(String name) {
		return this.info.stringPropertyNames()
			.stream()
			.filter((each) -> each.equals(name) || each.endsWith("." + name))
			.sorted()
			.map((each) -> LogText.of(this.info.getProperty(each).strip()))
			.toList();
	}

	private static String different(List<String> values) {
		return values.stream().distinct().collect(Collectors.joining(" and "));
	}

	@Override
	public String toString() {
		return "%s, %s, %s, %s, %s. %s".formatted(engine(), servers(), replicas(), persistence(), eviction(), worth());
	}

	private String engine() {
		return ENGINES.stream()
			.filter((engine) -> !values(engine.getKey()).isEmpty())
			.findFirst()
			.map((engine) -> engine.getValue() + " " + different(values(engine.getKey())))
			.orElse("version not told");
	}

	private String servers() {
		if (!values("cluster_enabled").contains("1") && values(VERSION).size() < 2) {
			return "no cluster";
		}
		long masters = values("role").stream().filter("master"::equals).count();
		return "cluster of %s %s".formatted(masters, (masters == 1) ? "master" : "masters");
	}

	private String replicas() {
		List<String> told = values("connected_slaves");
		if (told.isEmpty()) {
			return "replicas not told";
		}
		int count = replicaCount();
		return (count == 0) ? "no replicas" : count + ((count == 1) ? " replica" : " replicas");
	}

	private int replicaCount() {
		return values("connected_slaves").stream()
			.filter((value) -> value.matches("\\d{1,4}"))
			.mapToInt(Integer::parseInt)
			.sum();
	}

	private String persistence() {
		List<String> told = values("aof_enabled");
		return told.isEmpty() ? "persistence not told"
				: isAppendOnly(told) ? "an append-only file" : "no append-only file";
	}

	private static boolean isAppendOnly(List<String> told) {
		return told.stream().allMatch("1"::equals);
	}

	private String eviction() {
		List<String> policies = evictionPolicies();
		return policies.isEmpty() ? "maxmemory-policy not told" : "maxmemory-policy " + different(policies);
	}

	private String worth() {
		List<String> told = values("aof_enabled");
		String restart = told.isEmpty() ? "Whether acknowledged jobs survive a restart is not told" : isAppendOnly(told)
				? "Acknowledged jobs survive a crash of its process; one of its machine may lose those of the last second, unless appendfsync is 'always'"
				: "A restart loses jobs that were acknowledged since its last snapshot";
		String failover = (replicaCount() > 0) ? "; a failover may lose those that its replica had not received" : "";
		boolean mayEvict = evictionPolicies().stream().anyMatch(EvictionPolicy::mayEvictJobs);
		return restart + failover + (mayEvict ? "; when its memory is full, it may evict jobs" : "");
	}

}
