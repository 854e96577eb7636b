package io.lowkiq.redis.inmemory;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;

import io.lowkiq.StoreException;
import io.lowkiq.redis.call.ChannelListener;
import io.lowkiq.redis.call.LuaScript;
import io.lowkiq.redis.call.RedisConnections;
import io.lowkiq.redis.call.RedisProblem;
import io.lowkiq.redis.call.Reply;
import io.lowkiq.store.WakeUps;
import org.jspecify.annotations.Nullable;

/**
 * The connections to a server in the JVM. A script whose call was lost is not sent again.
 */
final class InMemoryConnections implements RedisConnections {

	private final InMemoryRedis server;

	InMemoryConnections(InMemoryRedis server) {
		this.server = server;
	}

	@Override
	public CompletableFuture<Reply> start(LuaScript script, byte[][] keys, byte[][] arguments) {
		return run(script, keys, arguments, (problem) -> RedisProblem.of(script.task(), problem));
	}

	private CompletableFuture<Reply> run(LuaScript script, byte[][] keys, byte[][] arguments,
			Function<Throwable, StoreException> problem) {
		return this.server.evalsha(script.sha(), keys, arguments)
			.exceptionallyCompose((ex) -> isUnknownScript(ex) ? this.server.eval(script.text(), keys, arguments)
					: CompletableFuture.failedFuture(ex))
			.thenApply((value) -> reply(script, value))
			.exceptionallyCompose((ex) -> CompletableFuture.failedFuture(problem.apply(unwrapped(ex))));
	}

	@SuppressWarnings("NullAway") // The constructor of a record loses its type
									// annotations in the class file
	private static Reply reply(LuaScript script, @Nullable Object value) {
		List<@Nullable Object> values = new ArrayList<>();
		if (value instanceof List<?> list) {
			values.addAll(list);
		}
		return new Reply(script.task(), values);
	}

	private static boolean isUnknownScript(Throwable problem) {
		return unwrapped(problem) instanceof RedisErrorException error
				&& String.valueOf(error.getMessage()).startsWith("NOSCRIPT");
	}

	private static StoreException unconfirmed(Throwable problem) {
		return (problem instanceof IOException) ? RedisProblem.unconfirmed(problem)
				: RedisProblem.of("enqueue jobs", problem);
	}

	private static Throwable unwrapped(Throwable problem) {
		return (problem instanceof CompletionException && problem.getCause() != null) ? problem.getCause() : problem;
	}

	@Override
	public CompletableFuture<Reply> startOnce(LuaScript script, byte[][] keys, byte[][] arguments) {
		return run(script, keys, arguments, InMemoryConnections::unconfirmed);
	}

	@Override
	public WakeUps.Subscription subscribe(String name, Set<String> channels, ChannelListener listener) {
		InMemorySubscription subscription = new InMemorySubscription(this.server, channels, listener);
		subscription.subscribe();
		return subscription;
	}

	@Override
	public String address() {
		return "in memory";
	}

	@Override
	public void close() {
	}

}
