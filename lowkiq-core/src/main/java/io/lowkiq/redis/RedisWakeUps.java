package io.lowkiq.redis;

import io.lowkiq.store.WakeUps;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Messages by Redis' publish and subscribe, over a connection of each subscription's own.
 */
final class RedisWakeUps implements WakeUps {

	private final RedisConnectionFactory connectionFactory;

	private final ShardKeys keys;

	RedisWakeUps(RedisConnectionFactory connectionFactory, ShardKeys keys) {
		this.connectionFactory = connectionFactory;
		this.keys = keys;
	}

	@Override
	public Subscription subscribe(String session, Listener listener) {
		ChannelListener channels = new ChannelListener(this.keys.wakeChannel(session), this.keys.releasedChannel(),
				listener);
		ChannelSubscription subscription = new ChannelSubscription(this.connectionFactory, channels);
		subscription.start("lowkiq-wake-ups-" + session);
		return subscription;
	}

}
