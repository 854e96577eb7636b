package io.lowkiq.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

import io.lowkiq.redis.ShardScripts.ShardCall;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.Shard;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of {@link ShardScripts}.
 */
class ShardScriptsTests {

	private final SlowCaller caller = new SlowCaller();

	private final ShardScripts scripts = new ShardScripts(this.caller, new ShardKeys("test"), new StoreClock(null));

	@Test
	void callsOfManyShardsAreUnderWayTogetherUpToALimit() {
		List<Shard> shards = new QueueLayout("orders", 1, 100).allShards();
		List<Long> answers = new ArrayList<>();
		this.scripts.runAll(LuaScript.load("counts"),
				() -> shards.stream().map((shard) -> new ShardCall(shard)).iterator(),
				(reply) -> answers.add(reply.number(0)));
		assertThat(answers).hasSize(100).isSorted();
		assertThat(this.caller.mostUnderWay).isEqualTo(16);
	}

	@Test
	void callsOfOneShardAreUnderWayOneAfterTheOther() {
		Shard shard = new Shard("orders", 1, 0);
		List<ShardCall> calls = List.of(new ShardCall(shard), new ShardCall(shard), new ShardCall(shard));
		this.scripts.runAll(LuaScript.load("counts"), calls, (reply) -> {
		});
		assertThat(this.caller.started).isEqualTo(3);
		assertThat(this.caller.mostUnderWay).isEqualTo(1);
	}

	/**
	 * Answers with the number of the call, and only when it is asked for the answer.
	 */
	private static final class SlowCaller implements ScriptCaller {

		private long started;

		private long underWay;

		private long mostUnderWay;

		@Override
		public Reply run(LuaScript script, List<byte[]> keys, List<byte[]> arguments) {
			throw new UnsupportedOperationException();
		}

		@Override
		public <T> T concurrently(String what, Function<Starter, T> calls) {
			return calls.apply((script, keys, arguments) -> {
				long number = this.started++;
				this.mostUnderWay = Math.max(this.mostUnderWay, ++this.underWay);
				return () -> {
					this.underWay--;
					return new Reply(script.name(), List.of(number));
				};
			});
		}

	}

}
