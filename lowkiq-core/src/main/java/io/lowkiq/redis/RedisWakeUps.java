package io.lowkiq.redis;

import io.lowkiq.store.WakeUps;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.ConnectionUtils;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/**
 * Messages by Redis' publish and subscribe, over a connection of each subscription's own.
 */
final class RedisWakeUps implements WakeUps, AutoCloseable {

	private final RedisConnectionFactory connectionFactory;

	private final ShardKeys keys;

	/** Guarded by the monitor: made when first used, closed by {@link #close()}. */
	private @Nullable JedisConnectionFactory ownFactory;

	RedisWakeUps(RedisConnectionFactory connectionFactory, ShardKeys keys) {
		this.connectionFactory = connectionFactory;
		this.keys = keys;
	}

	@Override
	public Subscription subscribe(String session, Listener listener) {
		return new Renewable(session, listener);
	}

	private RedisConnection connect() {
		return (ConnectionUtils.isJedis(this.connectionFactory) ? ownFactory() : this.connectionFactory)
			.getConnection();
	}

	private synchronized RedisConnectionFactory ownFactory() {
		JedisConnectionFactory own = this.ownFactory;
		if (own == null) {
			own = JedisMessageConnections.to((JedisConnectionFactory) this.connectionFactory);
			this.ownFactory = own;
		}
		return own;
	}

	/** Closes what is kept between subscriptions. */
	@Override
	public synchronized void close() {
		if (this.ownFactory != null) {
			this.ownFactory.destroy();
			this.ownFactory = null;
		}
	}

	/**
	 * The present subscription of a session. Thread-safe.
	 */
	private final class Renewable implements Subscription {

		private final String session;

		private final Listener listener;

		/** Guarded by the monitor, as the next. */
		private ChannelSubscription present;

		private boolean closed;

		Renewable(String session, Listener listener) {
			this.session = session;
			this.listener = listener;
			this.present = start(null);
		}

		private ChannelSubscription start(@Nullable ChannelSubscription predecessor) {
			ChannelSubscription started = new ChannelSubscription("lowkiq-wake-ups-" + this.session,
					RedisWakeUps.this::connect, RedisWakeUps.this.keys.wakeChannel(this.session),
					RedisWakeUps.this.keys.releasedChannel(), this.listener, predecessor);
			started.start();
			return started;
		}

		@Override
		public synchronized void reconnect() {
			if (!this.closed) {
				this.present.silence();
				this.present = start(this.present);
			}
		}

		@Override
		public void close() {
			ChannelSubscription last;
			synchronized (this) {
				this.closed = true;
				last = this.present;
			}
			last.close();
		}

	}

}
