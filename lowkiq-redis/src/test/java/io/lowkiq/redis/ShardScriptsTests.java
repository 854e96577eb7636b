package io.lowkiq.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import io.lowkiq.StoreException;
import io.lowkiq.redis.call.LuaScript;
import io.lowkiq.redis.call.Reply;
import io.lowkiq.redis.call.ScriptCaller;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.job.Shard;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests of {@link ShardScripts}. */
class ShardScriptsTests {

	private final LuaScript script = LuaScript.load("counts", "count jobs");

	private final SlowCaller caller = new SlowCaller();

	private final ShardScripts scripts = new ShardScripts(this.caller, new ShardKeys("test"), new StoreClock(null));

	@Test
	void callsOfManyShardsAreUnderWayTogetherUpToALimit() {
		List<Shard> shards = new QueueLayout("orders", 1, 100).allShards();
		List<Long> answers = new ArrayList<>();
		this.scripts.runAll(this.script, shards, (reply) -> answers.add(reply.number(0)));
		assertThat(answers).hasSize(100).isSorted();
		assertThat(this.caller.mostUnderWay).isEqualTo(16);
	}

	@Test
	void callsOfOneShardAreUnderWayOneAfterTheOther() {
		Shard shard = new Shard("orders", 1, 0);
		this.scripts.runAll(this.script, List.of(shard, shard, shard), (reply) -> {
		});
		assertThat(this.caller.started).isEqualTo(3);
		assertThat(this.caller.mostUnderWay).isEqualTo(1);
	}

	@Test
	void aProblemWithAShardHoldsUpNoOtherAndNoneOfItsLaterCallsIsMade() {
		Shard bad = new Shard("orders", 1, 0);
		Shard good = new Shard("orders", 1, 1);
		this.caller.failing = 0;
		List<Long> answers = new ArrayList<>();
		Map<Integer, StoreException> problems = this.scripts.runEach(this.script, List.of(bad, good, bad, good),
				(reply) -> answers.add(reply.number(0)));
		assertThat(problems).containsOnlyKeys(0, 2);
		assertThat(answers).containsExactly(1L, 2L);
		assertThat(this.caller.started).isEqualTo(3);
	}

	@Test
	void aBatchGoesToAllItsShardsAtOnceUpToALimitOfBytes() {
		List<Shard> shards = new QueueLayout("orders", 1, 100).allShards();
		this.scripts.runEach(this.script, shards, (reply) -> {
		});
		assertThat(this.caller.mostUnderWay).isEqualTo(100);
		this.caller.mostUnderWay = 0;
		this.scripts.runEach(this.script, shards, (reply) -> {
		}, new byte[2 << 20]);
		assertThat(this.caller.mostUnderWay).isEqualTo(8);
	}

	/** Answers with the number of the call, and only when it is asked for the answer. */
	private static final class SlowCaller implements ScriptCaller {

		private long started;

		private long underWay;

		private long mostUnderWay;

		private long failing = -1;

		@Override
		public Supplier<Reply> begin(LuaScript script, byte[][] keys, byte[][] arguments) {
			long number = this.started++;
			this.mostUnderWay = Math.max(this.mostUnderWay, ++this.underWay);
			return () -> {
				this.underWay--;
				if (number == this.failing) {
					throw new StoreException("Out of reach", null);
				}
				return new Reply(script.task(), List.of(number));
			};
		}

	}

}
