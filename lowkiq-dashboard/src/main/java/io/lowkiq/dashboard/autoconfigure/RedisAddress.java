package io.lowkiq.dashboard.autoconfigure;

import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * Tells where Redis is, without user and password.
 */
final class RedisAddress {

	private static final boolean LETTUCE = ClassUtils.isPresent("io.lettuce.core.RedisClient",
			RedisAddress.class.getClassLoader());

	private RedisAddress() {
	}

	static String of(RedisConnectionFactory factory) {
		return (LETTUCE && factory instanceof LettuceConnectionFactory lettuce) ? ofLettuce(lettuce) : "";
	}

	private static String ofLettuce(LettuceConnectionFactory lettuce) {
		String scheme = lettuce.getClientConfiguration().isUseSsl() ? "rediss://" : "redis://";
		RedisClusterConfiguration cluster = lettuce.getClusterConfiguration();
		if (cluster != null) {
			return scheme + nodes(cluster.getClusterNodes());
		}
		RedisSentinelConfiguration sentinel = lettuce.getSentinelConfiguration();
		if (sentinel != null) {
			String master = (sentinel.getMaster() != null) ? String.valueOf(sentinel.getMaster().getName()) : "";
			return scheme.replace("://", "-sentinel://") + nodes(sentinel.getSentinels()) + "#" + master;
		}
		if (lettuce.getSocketConfiguration() != null) {
			return "redis-socket://" + lettuce.getSocketConfiguration().getSocket();
		}
		return scheme + lettuce.getHostName() + ":" + lettuce.getPort() + "/" + lettuce.getDatabase();
	}

	private static String nodes(Iterable<RedisNode> nodes) {
		return StreamSupport.stream(nodes.spliterator(), false)
			.map(RedisNode::asString)
			.sorted()
			.collect(Collectors.joining(","));
	}

}
