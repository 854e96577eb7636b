package io.lowkiq.simulation;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;

import io.lowkiq.redis.call.ChannelListener;
import io.lowkiq.redis.inmemory.Subscriber;
import io.lowkiq.store.WakeUps;
import org.jspecify.annotations.Nullable;

/** A subscription on a connection of its own, which is made again when it breaks. */
final class SimulatedSubscription implements WakeUps.Subscription {

	private final SimulatedProcess process;

	private final Scheduler scheduler;

	private final Network network;

	private final SimulatedRedis redis;

	private final byte[][] channels;

	private final ChannelListener listener;

	private @Nullable Link link;

	private boolean closed;

	SimulatedSubscription(SimulatedProcess process, Scheduler scheduler, Network network, SimulatedRedis redis,
			byte[][] channels, ChannelListener listener) {
		this.process = process;
		this.scheduler = scheduler;
		this.network = network;
		this.redis = redis;
		this.channels = channels;
		this.listener = listener;
	}

	void connect() {
		if (!this.closed && !this.process.isGone()) {
			Link made = new Link();
			this.link = made;
			made.connection.send(made::subscribe);
		}
	}

	@Override
	public void reconnect() {
		end();
		connect();
	}

	@Override
	public void close() {
		this.closed = true;
		end();
	}

	private void end() {
		Link present = this.link;
		this.link = null;
		if (present != null && present.unsubscribe != null) {
			present.unsubscribe.run();
		}
	}

	/** One connection of the subscription. */
	private final class Link implements Subscriber {

		private final Network.Connection connection = SimulatedSubscription.this.network.new Connection();

		private @Nullable Runnable unsubscribe;

		void subscribe() {
			if (isPresent()) {
				CompletableFuture<?> unused = SimulatedSubscription.this.redis.server()
					.subscribe(this, SimulatedSubscription.this.channels)
					.thenAccept((end) -> this.unsubscribe = end);
			}
		}

		private boolean isPresent() {
			return SimulatedSubscription.this.link == this && !SimulatedSubscription.this.process.isGone();
		}

		private void deliver(Runnable delivery) {
			this.connection.sendBack(() -> SimulatedSubscription.this.process.deliver(() -> {
				if (isPresent()) {
					delivery.run();
				}
			}));
		}

		@Override
		public void subscribed() {
			deliver(SimulatedSubscription.this.listener::subscribed);
		}

		@Override
		public void message(byte[] channel, byte[] message) {
			deliver(() -> SimulatedSubscription.this.listener.message(new String(channel, StandardCharsets.UTF_8),
					new String(message, StandardCharsets.UTF_8)));
		}

		@Override
		public void disconnected() {
			SimulatedSubscription.this.scheduler.in(1_000_000, () -> {
				if (isPresent()) {
					connect();
				}
			});
		}

	}

}
