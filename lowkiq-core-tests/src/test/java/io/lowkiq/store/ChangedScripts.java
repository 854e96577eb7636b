package io.lowkiq.store;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.call.ChannelListener;
import io.lowkiq.redis.call.LuaScript;
import io.lowkiq.redis.call.RedisConnections;
import io.lowkiq.redis.call.Reply;
import io.lowkiq.redis.inmemory.InMemoryRedis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Connections to a server in the JVM on which scripts differ a little from those of the
 * storage.
 */
final class ChangedScripts implements RedisConnections {

	/** The number of jobs that a call looks at. */
	static final int LOOKED_AT = 5;

	private static final Map<String, String> USUAL_CALLS = Map.of(
			"if not (meta.closed or meta.isMissing or meta.policy or meta.moving) and", "if false and",
			"local isUsual = not (", "local isUsual = false and not (");

	private final InMemoryRedis server;

	private final UnaryOperator<String> change;

	ChangedScripts(InMemoryRedis server, UnaryOperator<String> change) {
		this.server = server;
		this.change = change;
	}

	/**
	 * A storage whose scripts look only at a few jobs when the clock has gone back, so
	 * that few jobs need many calls.
	 */
	static TestedStore withSmallSteps(InMemoryRedis server) {
		return on(server, (text) -> lowered(text, "local MAX_LOOKED_AT = ", "function keepDue("));
	}

	/** A storage whose scripts sweep short lists, too. */
	static TestedStore withManySweeps(InMemoryRedis server) {
		return on(server, (text) -> lowered(text, "local MAX_UNSWEPT = ", "function isMostlyVoid("));
	}

	private static String lowered(String text, String bound, String function) {
		assertThat(text.contains(bound + "1000")).isEqualTo(text.contains(function));
		return text.replace(bound + "1000", bound + LOOKED_AT);
	}

	/** A storage whose scripts treat the usual call as any other. */
	static TestedStore withoutUsualCalls(InMemoryRedis server) {
		return on(server, (text) -> {
			String changed = text;
			for (Map.Entry<String, String> usual : USUAL_CALLS.entrySet()) {
				changed = changed.replace(usual.getKey(), usual.getValue());
			}
			assertThat(changed.equals(text))
				.isNotEqualTo(text.contains("function anyReply(") || text.contains("function anyAnswer("));
			return changed;
		});
	}

	private static TestedStore on(InMemoryRedis server, UnaryOperator<String> change) {
		return TestedStore.of(new RedisStore(new ChangedScripts(server, change), "lowkiq", null), server);
	}

	@Override
	public CompletableFuture<Reply> start(LuaScript script, byte[][] keys, byte[][] arguments) {
		String text = this.change.apply(new String(script.text(), StandardCharsets.UTF_8));
		return this.server.eval(text.getBytes(StandardCharsets.UTF_8), keys, arguments)
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
