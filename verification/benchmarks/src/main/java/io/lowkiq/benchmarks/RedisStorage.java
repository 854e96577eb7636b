package io.lowkiq.benchmarks;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;

import io.lowkiq.testing.RedisClusterProcess;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestRedis;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** One Redis, or the masters of a cluster, read by {@code INFO}. */
final class RedisStorage implements Storage {

	/** The peers' harnesses empty it, and use it alone. */
	private static final int DATABASE = 1;

	private final Runnable stop;

	private final String url;

	private final List<LettuceConnectionFactory> nodes;

	private RedisStorage(Runnable stop, String url, List<RedisProcess> nodes) {
		this.stop = stop;
		this.url = url;
		this.nodes = nodes.stream().map((node) -> TestRedis.connectionFactory(node.url())).toList();
	}

	static RedisStorage single(List<String> options) {
		RedisProcess redis = TestRedis.startPrivate(options.toArray(String[]::new));
		return new RedisStorage(redis::close, redis.url() + "/" + DATABASE, List.of(redis));
	}

	static RedisStorage cluster(List<String> options) {
		RedisClusterProcess cluster = RedisClusterProcess.start(options.toArray(String[]::new));
		return new RedisStorage(cluster::close, "cluster://" + String.join(",", cluster.nodes()), cluster.masters());
	}

	@Override
	public Map<String, String> environment() {
		return Map.of("REDIS_URL", this.url);
	}

	@Override
	public Usage usage() {
		List<Properties> infos = this.nodes.stream().map((node) -> info(node, "all")).toList();
		return new Usage(sum(infos, "used_cpu_sys") + sum(infos, "used_cpu_user"), (long) sum(infos, "used_memory"),
				(long) sum(infos, "total_commands_processed"),
				(long) (sum(infos, "total_net_input_bytes") + sum(infos, "total_net_output_bytes")));
	}

	@Override
	public String version() {
		return "Redis " + info(this.nodes.get(0), "server").getProperty("redis_version");
	}

	@Override
	public void close() {
		this.nodes.forEach(LettuceConnectionFactory::destroy);
		this.stop.run();
	}

	private static Properties info(LettuceConnectionFactory node, String section) {
		try (RedisConnection connection = node.getConnection()) {
			return Optional.ofNullable(connection.serverCommands().info(section)).orElseThrow();
		}
	}

	private static double sum(List<Properties> infos, String key) {
		return infos.stream().mapToDouble((info) -> Double.parseDouble(info.getProperty(key))).sum();
	}

}
