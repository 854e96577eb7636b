package io.lowkiq.redis.call;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.lowkiq.StoreException;
import io.lowkiq.UnconfirmedEnqueueException;
import io.lowkiq.store.WakeUps;

/**
 * The connections to one Redis: all that the storage needs of it. Every error is a
 * {@link StoreException} as {@link RedisProblem} makes it. Thread-safe.
 */
public interface RedisConnections extends ScriptCaller, AutoCloseable {

	/**
	 * When a connection breaks before the reply has arrived, the script may run again on
	 * the next one: it must be safe to repeat.
	 */
	CompletableFuture<Reply> start(LuaScript script, byte[][] keys, byte[][] arguments);

	@Override
	default Supplier<Reply> begin(LuaScript script, byte[][] keys, byte[][] arguments) {
		return pending(script.task(), start(script, keys, arguments));
	}

	/** Starts a script as {@link #once()} does. */
	CompletableFuture<Reply> startOnce(LuaScript script, byte[][] keys, byte[][] arguments);

	/**
	 * As enqueues need it: a script that was not answered is not sent again, but ends
	 * with an {@link UnconfirmedEnqueueException}.
	 */
	default ScriptCaller once() {
		return (script, keys, arguments) -> pending(script.task(), startOnce(script, keys, arguments));
	}

	/** Lets a thread wait for the reply of a script that was started. */
	default Supplier<Reply> pending(String task, CompletableFuture<Reply> reply) {
		return new PendingReply(task, reply);
	}

	/** Lets a thread wait before it calls again. */
	default void pause(Duration pause) throws InterruptedException {
		Thread.sleep(pause.toMillis());
	}

	WakeUps.Subscription subscribe(String name, Set<String> channels, ChannelListener listener);

	/** The address of Redis, for people. */
	String address();

	/** Closes the connections that belong to nobody else. */
	@Override
	void close();

}
