package io.lowkiq.benchmarks;

import java.util.List;
import java.util.Optional;
import java.util.Properties;

import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestRedis;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Reads from outside what a measured process and its Redis have used.
 */
final class Sampler implements AutoCloseable {

	private final List<LettuceConnectionFactory> nodes;

	/**
	 * A sampler.
	 * @param nodes the Redis that is measured: one server, or the masters of a cluster
	 */
	Sampler(List<RedisProcess> nodes) {
		this.nodes = nodes.stream().map((node) -> TestRedis.connectionFactory(node.url())).toList();
	}

	/**
	 * Takes a sample.
	 * @param pid the measured process
	 * @return the sample
	 */
	Sample take(long pid) {
		long nanos = System.nanoTime();
		double client = ProcFile.processCpu(pid);
		double machine = ProcFile.machineCpu();
		List<Properties> infos = this.nodes.stream().map((node) -> info(node, "all")).toList();
		return new Sample(nanos, client, sum(infos, "used_cpu_sys") + sum(infos, "used_cpu_user"), machine,
				(long) sum(infos, "used_memory"), (long) sum(infos, "total_commands_processed"));
	}

	/** Empties every node. */
	void flush() {
		for (LettuceConnectionFactory node : this.nodes) {
			try (RedisConnection connection = node.getConnection()) {
				connection.serverCommands().flushAll();
			}
		}
	}

	/**
	 * The server's version.
	 * @return the version
	 */
	String version() {
		return info(this.nodes.get(0), "server").getProperty("redis_version");
	}

	@Override
	public void close() {
		this.nodes.forEach(LettuceConnectionFactory::destroy);
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
