package io.lowkiq.engine.lease;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import io.lowkiq.testing.Intercepted;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.Worker;
import io.lowkiq.engine.perform.ServedQueue;
import io.lowkiq.engine.schedule.QueueTurns;
import io.lowkiq.engine.runtime.SystemRuntime;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.Forgotten;
import io.lowkiq.store.Forgotten.Degree;
import io.lowkiq.store.LastCall;
import io.lowkiq.store.Lease;
import io.lowkiq.store.NodeRegistry;
import io.lowkiq.store.Shard;
import io.lowkiq.store.StoreTimeoutException;
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

	private final List<Forgotten> told = new ArrayList<>();

	private final ForgottenCalls calls = calls("node-a", this.nodes);

	private final Session session = new Session("a-1", Long.MAX_VALUE, () -> 0);

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
		this.calls.report(this.session);
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
		assertThat(recorded())
			.isEqualTo(new Forgotten(Degree.CALLS, 101_000, 95_000, "node-a", "a-1", List.of("mails", "orders"), 3));
		assertThat(this.told).containsExactly(recorded());
		assertThat(this.log.messages()).containsExactly("The store has lost its last writes. "
				+ "Redis has forgotten calls in 3 shards of mails, orders that it had acknowledged since "
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
		this.calls.report(this.session);
		this.calls.beat();
		this.calls.report(this.session);
		assertThat(this.told).isEmpty();
		knows(this.second, 7, 4, 98);
		this.calls.beat();
		this.calls.report(this.session);
		assertThat(this.told).extracting(Forgotten::shards).containsExactly(2);
	}

	/** For instance of a shard that no thread was free to ask for. */
	@Test
	void whatIsFoundLaterOfTheSameLossIsAddedButNotSaidAgain() {
		pass(1);
		knows(this.first, 7, 4, 98);
		beatTwiceAndReport();
		pass(60);
		knows(this.second, 7, 4, 96);
		beatTwiceAndReport();
		assertThat(this.told).hasSize(1);
		assertThat(this.log.warnings()).hasSize(1);
		assertThat(recorded().shards()).isEqualTo(2);
		assertThat(recorded().knownAt()).isEqualTo(96_000);
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
		assertThat(this.told).extracting(Forgotten::knownAt).containsExactly(98_000L, 160_000L);
		assertThat(recorded().shards()).isEqualTo(2);
	}

	@Test
	void aShardThatHasForgottenEverythingHasNoTime() {
		knows(this.first, 0, 0, 0);
		beatTwiceAndReport();
		assertThat(this.told.get(0).sentence())
			.isEqualTo("Redis has forgotten calls in a shard of orders that it had acknowledged, "
					+ "and everything in some of these. Jobs there may be missing or run again, "
					+ "and pauses, holds and deletions may be undone.");
	}

	@Test
	void aPartOfTheLossOfEverythingIsNotSaid() {
		Forgotten everything = new Forgotten(Degree.EVERYTHING, 101_000, 100_000, "node-b", "b-1", List.of(), 0);
		this.nodes.recordForgotten(everything, null);
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
		NodeRegistry lossy = registry(() -> {
			if (isLost.compareAndSet(false, true)) {
				throw new StoreTimeoutException("The answer is lost", null);
			}
		});
		ForgottenCalls own = calls("node-a", lossy);
		this.lock.run(() -> own.check(this.first, new LastCall(7, 4, 98_000)));
		own.beat();
		own.beat();
		assertThatExceptionOfType(StoreTimeoutException.class).isThrownBy(() -> own.report(this.session));
		pass(1);
		own.report(this.session);
		assertThat(recorded().shards()).isEqualTo(1);
		assertThat(this.told).hasSize(1);
	}

	@Test
	void nodesThatRecordAtTheSameTimeAddUp() {
		AtomicBoolean isFirst = new AtomicBoolean(true);
		NodeRegistry slow = registry(() -> {
		}, () -> {
			if (isFirst.compareAndSet(true, false)) {
				knows(this.second, 7, 3, 97);
				knows(this.third, 7, 3, 97);
				beatTwiceAndReport();
			}
		});
		ForgottenCalls other = calls("node-b", slow);
		this.lock.run(() -> other.check(this.first, new LastCall(7, 4, 98_000)));
		other.beat();
		other.beat();
		other.report(this.session);
		assertThat(recorded().shards()).isEqualTo(3);
		assertThat(recorded().queues()).containsExactly("mails", "orders");
		assertThat(this.told).extracting(Forgotten::shards).containsExactly(2, 1);
	}

	private NodeRegistry registry(Runnable afterRecord) {
		return registry(afterRecord, () -> {
		});
	}

	private NodeRegistry registry(Runnable afterRecord, Runnable beforeRecord) {
		return Intercepted.of(NodeRegistry.class, this.nodes, (method, call) -> {
			boolean records = method.equals("recordForgotten");
			if (records) {
				beforeRecord.run();
			}
			Object answer = call.make();
			if (records) {
				afterRecord.run();
			}
			return answer;
		});
	}

}
