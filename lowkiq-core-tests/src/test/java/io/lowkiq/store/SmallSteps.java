package io.lowkiq.store;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.call.ChannelListener;
import io.lowkiq.redis.call.LuaScript;
import io.lowkiq.redis.call.RedisConnections;
import io.lowkiq.redis.call.Reply;
import io.lowkiq.redis.inmemory.InMemoryRedis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Connections to a server in the JVM on which a script looks only at a few jobs when the
 * clock has gone back, so that few jobs need many calls.
 */
final class SmallSteps implements RedisConnections {

	/** The number of jobs that a call looks at. */
	static final int LOOKED_AT = 5;

	private static final String BOUND = "local MAX_LOOKED_AT = ";

	private final InMemoryRedis server;

	SmallSteps(InMemoryRedis server) {
		this.server = server;
	}

	/**
	 * A storage on such connections.
	 * @param server the server
	 * @return the storage
	 */
	static TestedStore on(InMemoryRedis server) {
		return TestedStore.of(new RedisStore(new SmallSteps(server), "lowkiq", null), () -> {
		});
	}

	@Override
	public CompletableFuture<Reply> start(LuaScript script, byte[][] keys, byte[][] arguments) {
		String text = new String(script.text(), StandardCharsets.UTF_8);
		assertThat(text.contains(BOUND)).isEqualTo(text.contains("function keepDue("));
		String smaller = text.replace(BOUND + "1000", BOUND + LOOKED_AT);
		return this.server.eval(smaller.getBytes(StandardCharsets.UTF_8), keys, arguments)
			.thenApply((value) -> new Reply(script.task(),
					(value instanceof List<?> list) ? new ArrayList<>(list) : List.of()));
	}

	@Override
	public CompletableFuture<Reply> startOnce(LuaScript script, byte[][] keys, byte[][] arguments) {
		return start(script, keys, arguments);
	}

	@Override
	public WakeUps.Subscription subscribe(String name, Set<String> channels, ChannelListener listener) {
		throw new UnsupportedOperationException();
	}

	@Override
	public String address() {
		return "in memory";
	}

	@Override
	public void close() {
	}

}
