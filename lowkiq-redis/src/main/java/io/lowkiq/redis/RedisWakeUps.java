package io.lowkiq.redis;

import io.lowkiq.redis.call.ChannelListener;
import io.lowkiq.redis.call.ChannelSubscription;
import io.lowkiq.redis.wire.Utf8;
import io.lowkiq.store.WakeUps;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Messages by Redis' publish and subscribe, over a connection of each subscription's own.
 */
final class RedisWakeUps implements WakeUps {

	private final LettuceConnectionFactory connectionFactory;

	private final ShardKeys keys;

	RedisWakeUps(LettuceConnectionFactory connectionFactory, ShardKeys keys) {
		this.connectionFactory = connectionFactory;
		this.keys = keys;
	}

	@Override
	public Subscription subscribe(String session, Listener listener) {
		String own = Utf8.text(this.keys.wakeChannel(session));
		String common = Utf8.text(this.keys.commonChannel());
		return new ChannelSubscription("lowkiq-wake-ups-" + session, this.connectionFactory,
				() -> new ChannelListener(own, common, listener));
	}

}
