package io.lowkiq.redis.call;

import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Tells where Redis is, without user and password. */
final class RedisAddress {

	private RedisAddress() {
	}

	static String of(LettuceConnectionFactory lettuce) {
		if (lettuce.getSocketConfiguration() != null) {
			return "redis-socket://" + lettuce.getSocketConfiguration().getSocket();
		}
		return of(lettuce.getClientConfiguration().isUseSsl(), lettuce.getClusterConfiguration(),
				lettuce.getSentinelConfiguration(),
				lettuce.getHostName() + ":" + lettuce.getPort() + "/" + lettuce.getDatabase());
	}

	private static String of(boolean ssl, @Nullable RedisClusterConfiguration cluster,
			@Nullable RedisSentinelConfiguration sentinel, String server) {
		String scheme = ssl ? "rediss" : "redis";
		if (cluster != null) {
			return scheme + "://" + nodes(cluster.getClusterNodes());
		}
		if (sentinel != null) {
			String master = (sentinel.getMaster() != null) ? String.valueOf(sentinel.getMaster().getName()) : "";
			return scheme + "-sentinel://" + nodes(sentinel.getSentinels()) + "#" + master;
		}
		return scheme + "://" + server;
	}

	private static String nodes(Iterable<RedisNode> nodes) {
		return StreamSupport.stream(nodes.spliterator(), false)
			.map(RedisNode::asString)
			.sorted()
			.collect(Collectors.joining(","));
	}

}
