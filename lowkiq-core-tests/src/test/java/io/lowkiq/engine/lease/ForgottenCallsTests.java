package io.lowkiq.engine.lease;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import io.lowkiq.RegisteredWorker;
import io.lowkiq.StoreTimeoutException;
import io.lowkiq.Worker;
import io.lowkiq.engine.perform.ServedQueue;
import io.lowkiq.engine.runtime.SystemRuntime;
import io.lowkiq.engine.schedule.QueueTurns;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.LastCall;
import io.lowkiq.store.Lease;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.node.Forgotten;
import io.lowkiq.store.node.NodeRegistry;
import io.lowkiq.testing.Intercepted;
import io.lowkiq.testing.LogLines;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What is said of calls that the store has forgotten, one step after the other. The
 * clocks of nodes and store go at the same speed.
 */
class ForgottenCallsTests {

	@RegisterExtension
	final LogLines log = new LogLines(ForgottenCalls.class);

	private final AtomicLong nanos = new AtomicLong(Duration.ofSeconds(100).toNanos());

	private final RedisStore store = InMemoryRedis.newStore(clock());

	private final NodeRegistry nodes = this.store.nodes();

	private final StateLock lock = new StateLock(new SystemRuntime(this.nanos::get));

	private final List<Integer> told = new ArrayList<>();

	private final ForgottenCalls calls = calls("node-a", this.nodes);

	private final ServedShard first = shard("orders", 0);

	private final ServedShard second = shard("orders", 1);

	private final ServedShard third = shard("mails", 0);

	private InstantSource clock() {
		return () -> Instant.ofEpochMilli(this.nanos.get() / 1_000_000);
	}

	private ForgottenCalls calls(String node, NodeRegistry registry) {
		return new ForgottenCalls(this.lock, registry, node, this.nanos::get, this.told::add);
	}

	private ServedShard shard(String queue, int index) {
		RegisteredWorker worker = new RegisteredWorker(queue, Worker.class, Integer.class,
				new RegisteredWorker.Settings(2, 1, 5, 1_000, 1, 0), () -> (Worker<Integer>) (id, payloads) -> {
				});
		ServedShard shard = new ServedShard(new Shard(queue, 1, index), new ServedQueue(worker, 100),
				new QueueTurns(worker.settings().groups(), 1, 1, () -> 0, (nanos) -> Map.of()), clock().instant());
		answered(shard, 7, 5);
		return shard;
	}

	private void answered(ServedShard shard, long epoch, long sequence) {
		shard.answered(new Lease(shard.shard(), "a-1", epoch), sequence, this.nanos.get());
	}

	private void knows(ServedShard shard, long epoch, long sequence, long second) {
		this.lock.run(() -> this.calls.check(shard, new LastCall(epoch, sequence, second * 1_000)));
	}

	private void pass(long seconds) {
		this.nanos.addAndGet(Duration.ofSeconds(seconds).toNanos());
	}

	private void beatTwiceAndReport() {
		this.calls.beat();
		this.calls.beat();
		this.calls.report();
	}

	private Forgotten recorded() {
		assertThat(this.nodes.forgotten()).hasSize(1);
		return this.nodes.forgotten().get(0);
	}

	@Test
	void saysOnceWhatSeveralShardsHaveForgotten() {
		pass(1);
		knows(this.first, 7, 4, 98);
		knows(this.second, 6, 9, 95);
		knows(this.third, 7, 3, 97);
		knows(this.third, 7, 3, 97);
		beatTwiceAndReport();
		beatTwiceAndReport();
		assertThat(recorded()).isEqualTo(Forgotten.calls(101_000, 95_000, "node-a",
				List.of(this.first.shard(), this.second.shard(), this.third.shard())));
		assertThat(this.told).containsExactly(3);
		assertThat(this.log.messages()).containsExactly("The store has lost its last writes. "
				+ "Redis has forgotten calls of node node-a in 3 shards of mails, orders that it had acknowledged since "
				+ "1970-01-01 00:01:35 UTC. Jobs enqueued then may be missing, jobs done then may run again, "
				+ "and pauses, holds and deletions of that time may be undone. "
				+ "See 'Redis has forgotten calls' in docs/operations.md");
		assertThat(this.log.warnings()).hasSize(1);
	}

	@Test
	void saysNothingOfTheSameCallOrALaterOne() {
		knows(this.first, 7, 5, 98);
		knows(this.second, 7, 6, 98);
		knows(this.third, 8, 0, 98);
		beatTwiceAndReport();
		assertThat(this.nodes.forgotten()).isEmpty();
		assertThat(this.log.messages()).isEmpty();
	}

	@Test
	void waitsForTheOtherShardsAndForAStoreThatKnowsTheNode() {
		this.calls.beat();
		this.calls.beat();
		knows(this.first, 7, 4, 98);
		this.calls.report();
		this.calls.beat();
		this.calls.report();
		assertThat(this.told).isEmpty();
		knows(this.second, 7, 4, 98);
		this.calls.beat();
		this.calls.report();
		assertThat(this.told).containsExactly(2);
	}

	/** For instance of a shard that no thread was free to ask for. */
	@Test
	void whatIsFoundLaterOfTheSameLossIsRecordedButNotSaidAgain() {
		pass(1);
		knows(this.first, 7, 4, 98);
		beatTwiceAndReport();
		pass(60);
		knows(this.second, 7, 4, 96);
		beatTwiceAndReport();
		assertThat(this.told).hasSize(1);
		assertThat(this.log.warnings()).hasSize(1);
		assertThat(this.nodes.forgotten()).extracting(Forgotten::knownAt).containsExactly(96_000L, 98_000L);
	}

	@Test
	void aLaterLossIsSaidAgain() {
		pass(1);
		knows(this.first, 7, 4, 98);
		beatTwiceAndReport();
		pass(60);
		answered(this.first, 8, 3);
		pass(1);
		knows(this.first, 8, 2, 160);
		beatTwiceAndReport();
		assertThat(this.told).containsExactly(1, 1);
		assertThat(this.nodes.forgotten()).extracting(Forgotten::knownAt).containsExactly(160_000L, 98_000L);
	}

	@Test
	void aShardThatHasForgottenEverythingHasNoTime() {
		knows(this.first, 0, 0, 0);
		beatTwiceAndReport();
		assertThat(recorded().sentence())
			.isEqualTo("Redis has forgotten calls of node node-a in a shard of orders that it had acknowledged, "
					+ "and everything in some of these. Jobs there may be missing or run again, "
					+ "and pauses, holds and deletions may be undone.");
	}

	@Test
	void aPartOfTheLossOfEverythingIsNotSaid() {
		Forgotten everything = Forgotten.everything(101_000, 100_000, "node-b", List.of());
		this.nodes.recordForgotten(everything);
		pass(2);
		knows(this.first, 0, 0, 0);
		beatTwiceAndReport();
		assertThat(recorded()).isEqualTo(everything);
		answered(this.first, 8, 3);
		knows(this.first, 8, 2, 101);
		beatTwiceAndReport();
		assertThat(this.told).as("what was forgotten afterwards").hasSize(1);
		assertThat(this.log.warnings()).hasSize(1);
	}

	@Test
	void isRecordedOnceThoughAnAnswerIsLost() {
		AtomicBoolean isLost = new AtomicBoolean();
		NodeRegistry lossy = Intercepted.of(NodeRegistry.class, this.nodes, (method, call) -> {
			Object answer = call.make();
			if (method.equals("recordForgotten") && isLost.compareAndSet(false, true)) {
				throw new StoreTimeoutException("The answer is lost", null);
			}
			return answer;
		});
		ForgottenCalls own = calls("node-a", lossy);
		this.lock.run(() -> own.check(this.first, new LastCall(7, 4, 98_000)));
		own.beat();
		own.beat();
		assertThatExceptionOfType(StoreTimeoutException.class).isThrownBy(() -> own.report());
		pass(1);
		own.report();
		assertThat(recorded().sentence()).contains(" in a shard of orders ");
		assertThat(this.told).containsExactly(1);
	}

}
