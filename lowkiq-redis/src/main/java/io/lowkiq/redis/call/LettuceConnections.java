package io.lowkiq.redis.call;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import io.lowkiq.store.WakeUps;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Lowkiq's own connections, by the client of a factory. Thread-safe. */
public final class LettuceConnections implements RedisConnections {

	private static final Logger logger = LoggerFactory.getLogger(LettuceConnections.class);

	private final LettuceConnectionFactory connectionFactory;

	private final ScriptRunner runner;

	private final @Nullable ConfirmedScriptRunner confirmed;

	/** Set by whoever subscribes first. */
	private final AtomicBoolean saidThatNodesPoll = new AtomicBoolean();

	/**
	 * Scripts that run at most once wait for replicas, or null.
	 * @throws IllegalArgumentException if the factory is not Lettuce's
	 */
	public LettuceConnections(RedisConnectionFactory connectionFactory, @Nullable ReplicaWait replicaWait) {
		this.connectionFactory = requireLettuce(connectionFactory);
		this.runner = new ScriptRunner(this.connectionFactory);
		this.confirmed = (replicaWait != null) ? new ConfirmedScriptRunner(this.connectionFactory, replicaWait) : null;
	}

	private static LettuceConnectionFactory requireLettuce(RedisConnectionFactory factory) {
		if (factory instanceof LettuceConnectionFactory lettuce) {
			return lettuce;
		}
		throw new IllegalArgumentException(
				"Lowkiq needs Lettuce, but the connection factory is a %s. Define a LettuceConnectionFactory, or remove the other client from the class path so that Spring Boot defines one"
					.formatted(factory.getClass().getName()));
	}

	@Override
	public CompletableFuture<Reply> start(LuaScript script, byte[][] keys, byte[][] arguments) {
		return this.runner.start(new ScriptCall(script, keys, arguments, false));
	}

	@Override
	public CompletableFuture<Reply> startOnce(LuaScript script, byte[][] keys, byte[][] arguments) {
		if (this.confirmed == null) {
			return this.runner.start(new ScriptCall(script, keys, arguments, true));
		}
		return CompletableFuture.supplyAsync(this.confirmed.begin(script, keys, arguments),
				LettuceConnections::startThread);
	}

	/** For calls that wait for replicas, which block. */
	private static void startThread(Runnable call) {
		Thread thread = new Thread(call, "lowkiq-enqueue-follow-ups");
		thread.setDaemon(true);
		thread.start();
	}

	@Override
	public ScriptCaller once() {
		return (this.confirmed != null) ? this.confirmed : RedisConnections.super.once();
	}

	@Override
	public WakeUps.Subscription subscribe(String name, Set<String> channels, ChannelListener listener) {
		if (OwnConnection.isStaticList(this.connectionFactory)) {
			if (this.saidThatNodesPoll.compareAndSet(false, true)) {
				logger.warn(
						"Redis is a static list of a master and replicas, to which nobody can subscribe: nodes poll, so jobs start up to lowkiq.server.poll-interval later. Use Sentinel, a cluster, or the address of the master to avoid that");
			}
			return WakeUps.Subscription.NONE;
		}
		return new ChannelSubscription(name, this.connectionFactory, this.runner::ping,
				() -> new ClosableListener(channels, listener));
	}

	@Override
	public String address() {
		return RedisAddress.of(this.connectionFactory);
	}

	@Override
	public void close() {
		this.runner.close();
		if (this.confirmed != null) {
			this.confirmed.close();
		}
	}

}
