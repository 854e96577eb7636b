package io.lowkiq.redis;

import java.util.Set;

import io.lowkiq.redis.call.ChannelListener;
import io.lowkiq.redis.call.RedisConnections;
import io.lowkiq.redis.wire.Utf8;
import io.lowkiq.store.WakeUps;

/** Messages by Redis' publish and subscribe. */
final class RedisWakeUps implements WakeUps {

	private final RedisConnections connections;

	private final ShardKeys keys;

	RedisWakeUps(RedisConnections connections, ShardKeys keys) {
		this.connections = connections;
		this.keys = keys;
	}

	@Override
	public Subscription subscribe(String session, Listener listener) {
		String own = Utf8.text(this.keys.wakeChannel(session));
		String common = Utf8.text(this.keys.commonChannel());
		return this.connections.subscribe("lowkiq-wake-ups-" + session, Set.of(own, common),
				new Messages(common, listener));
	}

	/** Reads the messages to a session and to all. */
	private record Messages(String commonChannel, Listener listener) implements ChannelListener {

		@Override
		public void subscribed() {
			this.listener.connected();
		}

		@Override
		public void message(String channel, String message) {
			if (!channel.equals(this.commonChannel)) {
				if (message.equals(WakeUpMessage.ECHO)) {
					this.listener.echo();
				}
				else {
					WakeUpMessage.shard(message).ifPresent(this.listener::wake);
				}
			}
			else if (message.equals(WakeUpMessage.CHANGED)) {
				this.listener.changed();
			}
			else {
				WakeUpMessage.shard(message).ifPresent(this.listener::released);
			}
		}

	}

}
