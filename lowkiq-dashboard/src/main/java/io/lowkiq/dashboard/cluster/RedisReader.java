package io.lowkiq.dashboard.cluster;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

import io.lowkiq.StoreException;
import io.lowkiq.redis.EvictionPolicy;
import io.lowkiq.store.inspection.RecentSnapshot;

import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** Asks Redis about itself, at most every five seconds. Thread-safe. */
public final class RedisReader {

	private static final Duration MAX_AGE = Duration.ofSeconds(5);

	private static final String VERSION = "redis_version";

	private final RedisConnectionFactory connections;

	private final String url;

	private final RecentSnapshot<RedisFacts> last;

	/**
	 * How many commands each server had refused at the last reading, by its name. Used by
	 * the one thread that reads.
	 */
	private final Map<String, Long> refusals = new ConcurrentHashMap<>();

	public RedisReader(RedisConnectionFactory connections, String url, InstantSource clock) {
		this.connections = connections;
		this.url = url;
		this.last = new RecentSnapshot<>(this::read, clock, MAX_AGE);
	}

	/**
	 * A reading that is at most five seconds old.
	 * @throws StoreException if Redis doesn't reply
	 */
	public RedisFacts recent() {
		return this.last.get();
	}

	private RedisFacts read() {
		try (RedisConnection connection = this.connections.getConnection()) {
			Properties info = connection.serverCommands().info();
			return new RedisFacts(this.url, (info != null) ? servers(info) : List.of());
		}
		catch (DataAccessException ex) {
			throw new StoreException("Redis did not reply to INFO", ex);
		}
	}

	/** A server that has refused commands since the last reading is full. */
	private boolean refuses(String prefix, Properties info) {
		String counted = info.getProperty(prefix + "errorstat_OOM", "count=0").replaceAll("\\D", "");
		long refused = counted.isEmpty() ? 0 : Long.parseLong(counted);
		Long before = this.refusals.put(prefix, refused);
		return before != null && refused > before;
	}

	/**
	 * In a cluster the names begin with the node, as in
	 * {@code 10.0.0.1:7000.redis_version}.
	 */
	List<RedisFacts.Server> servers(Properties info) {
		List<RedisFacts.Server> servers = new ArrayList<>();
		for (String name : info.stringPropertyNames()) {
			if (name.equals(VERSION)) {
				servers.add(server(null, "", info));
			}
			else if (name.endsWith("." + VERSION)) {
				String node = name.substring(0, name.length() - VERSION.length() - 1);
				servers.add(server(node, node + ".", info));
			}
		}
		servers.sort((one, other) -> String.valueOf(one.name()).compareTo(String.valueOf(other.name())));
		return List.copyOf(servers);
	}

	private RedisFacts.Server server(@Nullable String name, String prefix, Properties info) {
		String policy = info.getProperty(prefix + "maxmemory_policy");
		long uptime = number(info, prefix + "uptime_in_seconds");
		long now = number(info, prefix + "server_time_usec") / 1_000;
		return new RedisFacts.Server(name, info.getProperty(prefix + VERSION, ""), uptime,
				(now > 0) ? now - uptime * 1_000 : 0, number(info, prefix + "connected_clients"),
				number(info, prefix + "used_memory"), number(info, prefix + "used_memory_peak"),
				number(info, prefix + "maxmemory"), (policy != null) ? policy : "unknown",
				policy != null && EvictionPolicy.mayEvictJobs(policy), refuses(prefix, info));
	}

	private static long number(Properties info, String name) {
		try {
			return Long.parseLong(info.getProperty(name, "0").trim());
		}
		catch (NumberFormatException ex) {
			return 0;
		}
	}

}
