package io.lowkiq.redis.call;

import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

class RedisAddressTests {

	@Test
	void theAddressOfRedisHasNoPassword() {
		RedisStandaloneConfiguration one = new RedisStandaloneConfiguration("redis.example", 6380);
		one.setUsername("anna");
		one.setPassword(RedisPassword.of("secret"));
		one.setDatabase(3);
		assertThat(RedisAddress.of(new LettuceConnectionFactory(one))).isEqualTo("redis://redis.example:6380/3");
		RedisClusterConfiguration cluster = new RedisClusterConfiguration().clusterNode("b", 7001)
			.clusterNode("a", 7000);
		cluster.setPassword("secret");
		assertThat(RedisAddress.of(new LettuceConnectionFactory(cluster))).isEqualTo("redis://a:7000,b:7001");
		RedisSentinelConfiguration sentinel = new RedisSentinelConfiguration().master("main").sentinel("c", 7002);
		sentinel.setPassword("secret");
		assertThat(RedisAddress.of(new LettuceConnectionFactory(sentinel))).isEqualTo("redis-sentinel://c:7002#main");
	}

}
