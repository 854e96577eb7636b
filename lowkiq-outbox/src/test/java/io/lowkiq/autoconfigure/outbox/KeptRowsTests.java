package io.lowkiq.autoconfigure.outbox;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.lowkiq.StoreException;
import io.lowkiq.StoreTimeoutException;
import io.lowkiq.StoreUnreachableException;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.ShardActions;
import io.lowkiq.redis.inmemory.Faults;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.BatchResult;
import io.lowkiq.store.LateCallException;
import io.lowkiq.store.OutboxCall.Stamp;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.QueueRegistry;
import io.lowkiq.store.Store;
import io.lowkiq.store.job.Shard;
import io.lowkiq.testing.Intercepted;
import io.lowkiq.testing.TestAdmin;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.dao.DataAccessException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@ExtendWith(OutputCaptureExtension.class)
class KeptRowsTests {

	private final InMemoryRedis redis = new InMemoryRedis(InstantSource.system());

	private final Faults faults = this.redis.faults();

	private final RedisStore store = this.redis.store();

	@AutoClose
	private final KeepingOutbox outbox = new KeepingOutbox(this.store);

	private List<String> perform() {
		return KeepingOutbox.perform(this.store);
	}

	/** A failover to a copy without anything that happened since. */
	private void forget(Faults.Snapshot copy) {
		this.faults.promote(copy);
	}

	@Test
	void whatWasSentIsKept() {
		this.outbox.send("a=1", "b=1", "a=2");
		assertThat(this.outbox.unsent()).isZero();
		assertThat(this.outbox.kept()).containsExactly("a", "b", "a");
		assertThat(perform()).containsExactlyInAnyOrder("a=1", "a=2", "b=1");
	}

	@Test
	void whatRedisHasForgottenIsSentAgainBeforeAnythingNewer(CapturedOutput output) {
		this.outbox.send("a=1");
		Faults.Snapshot copy = this.faults.snapshot();
		this.outbox.send("a=2");
		assertThat(perform()).containsExactly("a=1", "a=2");
		this.outbox.send("a=3");
		assertThat(perform()).containsExactly("a=3");
		forget(copy);
		this.outbox.send("a=4");
		// The copy had the first one queued
		assertThat(perform()).containsExactly("a=1", "a=2", "a=3", "a=4");
		assertThat(this.outbox.unsent()).isZero();
		assertThat(this.outbox.kept()).hasSize(4);
		assertThat(output).containsOnlyOnce("Redis had forgotten jobs that it had confirmed since")
			.contains("2 rows of 1 shards are sent again");
		assertThat(this.outbox.pass.resent()).isEqualTo(2);
	}

	@Test
	void whatSurvivedIsNotSentAgain() {
		this.outbox.send("a=1", "b=1");
		perform();
		Faults.Snapshot copy = this.faults.snapshot();
		this.outbox.send("a=2");
		forget(copy);
		this.outbox.later();
		assertThat(perform()).containsExactly("a=2");
		this.outbox.later();
		assertThat(perform()).isEmpty();
		assertThat(this.outbox.pass.resent()).isOne();
	}

	@Test
	void aShardWithoutNewRowsIsAskedNowAndThen() {
		Faults.Snapshot empty = this.faults.snapshot();
		this.outbox.send("a=1", "b=1", "c=1", "d=1");
		forget(empty);
		this.outbox.flushAll();
		this.store.queues().register("orders", 4);
		assertThat(perform()).isEmpty();
		this.outbox.later();
		assertThat(perform()).containsExactlyInAnyOrder("a=1", "b=1", "c=1", "d=1");
	}

	@Test
	void allShardsAreAskedWhenOneHasForgottenSomething() {
		Faults.Snapshot empty = this.faults.snapshot();
		this.outbox.send("a=1", "b=1", "c=1", "d=1");
		forget(empty);
		this.store.queues().register("orders", 4);
		this.outbox.send("a=2");
		assertThat(perform()).containsExactlyInAnyOrder("a=1", "a=2", "b=1", "c=1", "d=1");
	}

	@Test
	void allShardsAreAskedAtOnceAfterALostConnection() {
		Faults.Snapshot copy = this.faults.snapshot();
		this.outbox.send("a=1", "b=1", "c=1");
		this.outbox.enqueue("d=1");
		this.faults.loseNextCall();
		assertThatExceptionOfType(StoreException.class).isThrownBy(this.outbox::flushAll);
		forget(copy);
		this.store.queues().register("orders", 4);
		this.outbox.flushAll();
		assertThat(perform()).containsExactlyInAnyOrder("a=1", "b=1", "c=1", "d=1");
	}

	@Test
	void moreThanATransactionMovesIsSentAgainInItsOrder(CapturedOutput output) {
		Faults.Snapshot copy = this.faults.snapshot();
		String[] jobs = IntStream.range(0, 25).mapToObj((i) -> "a=" + (100 + i)).toArray(String[]::new);
		this.outbox.send(jobs);
		perform();
		// All of the shard's calls but the last one fit in no transaction
		this.outbox.jdbc
			.update("""
					insert into lowkiq_outbox_sent (prefix, queue, shard, call_number, seq, job_id, payload, score,
						perform_at, delay, created_at)
					select prefix, queue, shard, 1, x, job_id, payload, score, perform_at, delay, created_at
					from lowkiq_outbox_sent, system_range(1, 5100) where seq = (select min(seq) from lowkiq_outbox_sent)""");
		forget(copy);
		this.store.queues().register("orders", 4);
		this.outbox.send("a=200");
		assertThat(perform()).startsWith("a=100").endsWith("a=122", "a=123", "a=124", "a=200");
		assertThat(this.outbox.pass.resent()).isEqualTo(5_125);
		assertThat(output).containsOnlyOnce("Redis has forgotten jobs");
	}

	@Test
	void aRowIsDeletedWhenItsShardStillHadItLaterThanTheTimeToKeep() {
		this.outbox.send("a=1");
		this.outbox.age(KeepingOutbox.KEEP);
		this.outbox.later();
		assertThat(this.outbox.kept()).containsExactly("a");
		this.outbox.age(Duration.ofSeconds(7));
		this.outbox.send("b=1");
		this.outbox.later();
		assertThat(this.outbox.kept()).containsExactly("b");
	}

	@Test
	void noRowIsDeletedBeforeItsTimeBecauseALaterCallIsOlder() {
		this.outbox.send("a=1");
		this.outbox.send("a=2");
		this.outbox.send("a=3");
		this.outbox.age(Duration.ofDays(1));
		List<Long> sequences = this.outbox.jdbc.queryForList("select seq from lowkiq_outbox_sent order by seq",
				Long.class);
		this.outbox.jdbc.update("update lowkiq_outbox_sent set sent_at = sent_at + ? where seq = ?",
				Duration.ofDays(1).toMillis(), sequences.get(1));
		this.outbox.later();
		assertThat(this.outbox.kept()).hasSize(2);
	}

	@Test
	void moreThanAPassDeletesIsDeletedByTheNextOneAtOnce() {
		this.outbox.send("a=1");
		this.outbox.jdbc.update("""
				insert into lowkiq_outbox_sent (prefix, queue, shard, call_number, seq, job_id, payload, score,
					perform_at, delay, created_at)
				select prefix, queue, shard, call_number - x, x, job_id, payload, score, perform_at, delay, created_at
				from lowkiq_outbox_sent, system_range(1, 20100)""");
		this.outbox.age(Duration.ofDays(1));
		this.outbox.later();
		assertThat(this.outbox.kept()).isEmpty();
	}

	@Test
	void onlyRowsWhoseReturnIsCommittedCountAsSentAgain() {
		Faults.Snapshot copy = this.faults.snapshot();
		this.outbox.send("a=1", "b=1", "c=1", "d=1");
		forget(copy);
		this.store.queues().register("orders", 4);
		this.outbox.jdbc.execute("alter table lowkiq_outbox_lock add constraint few check (resent <= 3)");
		assertThatExceptionOfType(DataAccessException.class).isThrownBy(this.outbox::later);
		this.outbox.jdbc.execute("alter table lowkiq_outbox_lock drop constraint few");
		this.outbox.later();
		assertThat(this.outbox.pass.resent()).isEqualTo(4);
	}

	@Test
	void noRowIsDeletedWhileItsShardCanNotBeAskedHoweverOldItIs() {
		Faults.Snapshot copy = this.faults.snapshot();
		this.outbox.send("a=1");
		this.outbox.age(Duration.ofDays(1));
		this.faults.loseNextCall();
		this.outbox.later();
		assertThat(this.outbox.kept()).containsExactly("a");
		forget(copy);
		this.store.queues().register("orders", 4);
		this.outbox.later();
		this.outbox.later();
		assertThat(perform()).containsExactly("a=1");
	}

	@Test
	void rowsOfARemovedQueueAreDeletedInTheirTime() {
		this.outbox.send("a=1");
		perform();
		TestAdmin.of(this.store).removeQueue("orders");
		this.outbox.later();
		assertThat(this.outbox.kept()).containsExactly("a");
		this.outbox.age(Duration.ofDays(1));
		this.outbox.later();
		assertThat(this.outbox.kept()).isEmpty();
	}

	@Test
	void aShardWhoseRowsWereDeletedMayForgetThem() {
		Faults.Snapshot copy = this.faults.snapshot();
		this.outbox.send("a=1");
		this.outbox.age(Duration.ofDays(1));
		this.outbox.later();
		assertThat(this.outbox.kept()).isEmpty();
		forget(copy);
		this.store.queues().register("orders", 4);
		this.outbox.send("a=2");
		assertThat(perform()).containsExactly("a=2");
		assertThat(this.outbox.unsent()).isZero();
	}

	@Test
	void rowsOfACallThatWasNotConfirmedAreNotTakenForKept() {
		this.outbox.send("b=0");
		this.outbox.enqueue("a=1");
		this.faults.loseNextAnswer();
		assertThatExceptionOfType(StoreException.class).isThrownBy(this.outbox::flushAll);
		assertThat(this.outbox.kept()).containsExactly("b");
		Faults.Snapshot copy = this.faults.snapshot();
		this.outbox.send("a=2");
		perform();
		forget(copy);
		this.outbox.later();
		assertThat(perform()).contains("a=1", "a=2");
	}

	@Test
	void theSameNumberWithAnotherTokenIsAForgottenCall() {
		this.outbox.send("a=0");
		perform();
		Faults.Snapshot copy = this.faults.snapshot();
		this.outbox.enqueue("a=1");
		this.faults.loseNextAnswer();
		assertThatExceptionOfType(StoreException.class).isThrownBy(this.outbox::flushAll);
		rolledBack();
		Faults.Snapshot former = this.faults.snapshot();
		forget(copy);
		this.outbox.send("a=2");
		assertThat(perform()).containsExactly("a=1", "a=2");
		// The former master has the number of the last call, but not all of its rows
		forget(former);
		this.outbox.later();
		assertThat(perform()).containsExactly("a=1", "a=2");
		this.outbox.later();
		assertThat(perform()).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aCallThatTheNetworkHeldBackComesTooLate(boolean keeps) throws Throwable {
		AtomicReference<Intercepted.Call> held = new AtomicReference<>();
		AtomicBoolean isHolding = new AtomicBoolean();
		try (KeepingOutbox cutOff = new KeepingOutbox(KeepingOutbox.intercepted(this.store, (method, call) -> {
			if (isHolding.get()) {
				held.set(call);
				throw new StoreTimeoutException("no reply", null);
			}
			return call.make();
		}), this.outbox)) {
			if (!keeps) {
				this.outbox.keepNothing();
				cutOff.keepNothing();
			}
			cutOff.send("a=0");
			isHolding.set(true);
			cutOff.enqueue("a=1");
			assertThatExceptionOfType(StoreException.class).isThrownBy(cutOff::flushAll);
			rolledBack();
			this.outbox.flushAll();
			assertThat(perform()).containsExactly("a=0", "a=1");
			this.outbox.send("a=2");
			assertThat(perform()).containsExactly("a=2");
			BatchResult late = (BatchResult) held.get().make();
			assertThat(late.problems()).hasSize(1)
				.allSatisfy((number, problem) -> assertThat(problem).isInstanceOf(LateCallException.class));
			assertThat(perform()).isEmpty();
		}
	}

	/** The process of the last holder of the lock died before it committed. */
	private void rolledBack() {
		this.outbox.jdbc.update("update lowkiq_outbox_lock set taken = taken - 1");
	}

	/** After a rollback, the next holder of the lock has the same number. */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aHolderThatShardsTakeForAnEarlierOneSendsAgainWithALargerNumber(boolean keeps) {
		if (!keeps) {
			this.outbox.keepNothing();
		}
		this.outbox.send("a=0");
		this.outbox.enqueue("a=1");
		this.faults.loseNextAnswer();
		assertThatExceptionOfType(StoreException.class).isThrownBy(this.outbox::flushAll);
		rolledBack();
		this.outbox.enqueue("a=2", "b=1");
		assertThat(this.outbox.flush.step()).isTrue();
		this.outbox.flushAll();
		assertThat(perform()).containsExactlyInAnyOrder("a=0", "a=1", "a=2", "b=1");
		assertThat(this.outbox.unsent()).isZero();
		assertThat(this.outbox.flush.waiting()).isEmpty();
		// The row of the lock is restored
		this.outbox.jdbc.update("update lowkiq_outbox_lock set taken = 1");
		this.outbox.send("a=3");
		assertThat(perform()).containsExactly("a=3");
		assertThat(this.outbox.unsent()).isZero();
	}

	@Test
	void eachProcessKnowsTheCallsOfTheOthers() {
		try (KeepingOutbox other = new KeepingOutbox(this.store, this.outbox)) {
			this.outbox.send("a=1");
			perform();
			Faults.Snapshot copy = this.faults.snapshot();
			other.send("a=2");
			forget(copy);
			this.outbox.send("a=3");
			assertThat(perform()).containsExactly("a=2", "a=3");
		}
	}

	@Test
	void eachOutboxHasNumbersOfItsOwn() {
		try (KeepingOutbox other = new KeepingOutbox(this.store)) {
			other.send("a=1");
			Faults.Snapshot copy = this.faults.snapshot();
			this.outbox.send("a=2");
			forget(copy);
			other.send("a=3");
			this.outbox.later();
			assertThat(perform()).containsExactlyInAnyOrder("a=1", "a=2", "a=3");
		}
	}

	@Test
	void aProcessThatDiedBeforeItCommittedLosesNothing() {
		this.outbox.send("a=1");
		perform();
		Faults.Snapshot copy = this.faults.snapshot();
		this.outbox.enqueue("a=2");
		Long highest = this.outbox.jdbc.queryForObject("select highest from lowkiq_outbox_lock", Long.class);
		this.outbox.jdbc
			.execute("alter table lowkiq_outbox_lock add constraint unsent check (highest <= %s)".formatted(highest));
		assertThatExceptionOfType(DataAccessException.class).isThrownBy(this.outbox::flushAll);
		this.outbox.jdbc.execute("alter table lowkiq_outbox_lock drop constraint unsent");
		assertThat(this.outbox.kept()).containsExactly("a");
		forget(copy);
		this.outbox.flushAll();
		assertThat(perform()).containsExactly("a=2");
	}

	@Test
	void nothingIsSentThatCanNotBeKept() {
		this.outbox.jdbc.execute("alter table lowkiq_outbox_sent add constraint none check (call_number < 0)");
		assertThatExceptionOfType(DataAccessException.class).isThrownBy(() -> this.outbox.send("a=1"));
		assertThat(perform()).isEmpty();
		assertThat(this.outbox.unsent()).isOne();
	}

	@Test
	void nothingIsSentThatCanNotBeDeleted() {
		this.outbox.jdbc.execute("create table needed (seq bigint references lowkiq_outbox)");
		this.outbox.enqueue("a=1");
		this.outbox.jdbc.execute("insert into needed select seq from lowkiq_outbox");
		assertThatExceptionOfType(DataAccessException.class).isThrownBy(this.outbox::flushAll);
		assertThat(perform()).isEmpty();
		assertThat(this.outbox.kept()).isEmpty();
		assertThat(this.outbox.unsent()).isOne();
	}

	@Test
	void rowsThatWereSentSlowlyHaveATimeAfterThat() {
		AtomicLong duration = new AtomicLong();
		AtomicReference<KeepingOutbox> sender = new AtomicReference<>();
		try (KeepingOutbox slow = new KeepingOutbox(KeepingOutbox.intercepted(this.store, (method, call) -> {
			sender.get().nanos.addAndGet(duration.get());
			return call.make();
		}))) {
			sender.set(slow);
			// Asks the shards, which it does after five seconds again
			slow.flushAll();
			// A clock that counts how often it is asked
			slow.jdbc.execute("create sequence clock");
			slow.jdbc.execute("alter table lowkiq_outbox_sent alter column sent_at set default next value for clock");
			slow.send("a=1");
			duration.set(Duration.ofMillis(501).toNanos());
			slow.send("b=1");
			assertThat(slow.jdbc.queryForList("select sent_at from lowkiq_outbox_sent order by sent_at", Long.class))
				.containsExactly(1L, 3L);
			assertThat(slow.unsent()).isZero();
		}
	}

	@Test
	void whatIsForgottenBetweenARefusedCallAndItsRepetitionIsSentBeforeItsRows() {
		AtomicReference<Faults.Snapshot> copy = new AtomicReference<>();
		try (KeepingOutbox refused = new KeepingOutbox(KeepingOutbox.intercepted(this.store, (method, call) -> {
			Faults.Snapshot older = copy.getAndSet(null);
			if (older == null) {
				return call.make();
			}
			forget(older);
			this.store.queues().register("orders", 4);
			return new BatchResult(0, Map.of(0, new StoreException("WRONGTYPE", null)));
		}))) {
			Shard shard = refused.store.shardOf("orders", "a");
			String neighbor = IntStream.range(0, 100)
				.mapToObj(String::valueOf)
				.filter((id) -> refused.store.shardOf("orders", id).equals(shard))
				.findFirst()
				.orElseThrow();
			Faults.Snapshot empty = this.faults.snapshot();
			refused.send("a=1");
			copy.set(empty);
			refused.send("a=2", neighbor + "=1");
			assertThat(perform()).containsExactlyInAnyOrder("a=1", "a=2", neighbor + "=1")
				.containsSubsequence("a=1", "a=2");
			assertThat(refused.unsent()).isZero();
		}
	}

	@Test
	void anOldRowThatIsSentAgainIsNotTakenForTheLastOne() {
		this.outbox.send("a=1");
		this.outbox.jdbc.update("update lowkiq_outbox_sent set sent_at = 7");
		this.outbox.send("b=1");
		Long highest = this.outbox.jdbc.queryForObject("select highest from lowkiq_outbox_lock", Long.class);
		assertThat(this.outbox.table.sent().takeBack(7, 8).count()).isOne();
		this.outbox.flushAll();
		assertThat(this.outbox.unsent()).isZero();
		assertThat(this.outbox.jdbc.queryForObject("select highest from lowkiq_outbox_lock", Long.class))
			.isEqualTo(highest);
	}

	@Test
	void rowsOfAnOlderLayoutGoToThePresentOne() {
		this.outbox.send("a=1", "b=1", "c=1", "d=1");
		this.outbox.jdbc.update("update lowkiq_outbox_sent set shard = '7:' || substring(shard from 3)");
		this.outbox.later();
		assertThat(perform()).contains("a=1", "b=1", "c=1", "d=1");
		assertThat(this.outbox.jdbc.queryForList("select distinct shard from lowkiq_outbox_sent", String.class))
			.allMatch((shard) -> shard.startsWith("1:"));
	}

	@Test
	void rowsOfAGenerationThatRedisHasForgottenGoToThePresentOneInTheirOrder() {
		Faults.Snapshot empty = new InMemoryRedis(InstantSource.system()).faults().snapshot();
		QueueLayout first = this.store.queues().register("orders", 4);
		assertThat(this.store.queues().beginRemoval(first) && this.store.queues().endRemoval(first)).isTrue();
		this.outbox.send("a=1", "b=1");
		this.outbox.send("a=2");
		assertThat(this.outbox.store.shardOf("orders", "a").generation()).isEqualTo(2);
		forget(empty);
		// By a node that does not know the former one, which serves it already
		QueueLayout present = this.redis.store().queues().register("orders", 4);
		assertThat(present.generation()).isEqualTo(1);
		perform();
		this.outbox.send("a=3");
		assertThat(perform()).containsExactlyInAnyOrder("a=1", "a=2", "a=3", "b=1")
			.containsSubsequence("a=1", "a=2", "a=3");
		assertThat(this.outbox.unsent()).isZero();
		this.outbox.later();
		assertThat(perform()).isEmpty();
	}

	/** Nobody moves or sends anything else before. */
	@Test
	void noProcessSendsAnythingBeforeAllRowsOfAForgottenGenerationHaveReturned() {
		Faults.Snapshot empty = new InMemoryRedis(InstantSource.system()).faults().snapshot();
		QueueLayout first = this.store.queues().register("orders", 4);
		assertThat(this.store.queues().beginRemoval(first) && this.store.queues().endRemoval(first)).isTrue();
		this.outbox.send("a=1", "b=1");
		forget(empty);
		Store present = this.redis.store();
		present.queues().register("orders", 4);
		perform();
		try (KeepingOutbox other = new KeepingOutbox(present, this.outbox)) {
			other.enqueue("a=2");
			other.flush.step();
			assertThat(perform()).isEmpty();
			other.flush.ask();
			other.enqueue("b=2");
			other.flush.step();
			other.flushAll();
			assertThat(perform()).containsExactlyInAnyOrder("a=1", "a=2", "b=1", "b=2")
				.containsSubsequence("a=1", "a=2")
				.containsSubsequence("b=1", "b=2");
			assertThat(other.unsent()).isZero();
		}
	}

	@Test
	void newRowsOfAQueueWaitUntilThoseOfItsUnknownShardsHaveReturned() {
		Faults.Snapshot empty = new InMemoryRedis(InstantSource.system()).faults().snapshot();
		for (String queue : List.of("letters", "orders")) {
			QueueLayout first = this.store.queues().register(queue, 4);
			assertThat(this.store.queues().beginRemoval(first) && this.store.queues().endRemoval(first)).isTrue();
			this.store.queues().register(queue, 4);
		}
		this.outbox.enqueuer.enqueue("letters", OutboxFixture.payloads("a"));
		this.outbox.send("a=1");
		forget(empty);
		this.redis.store().queues().register("letters", 4);
		this.redis.store().queues().register("orders", 4);
		this.outbox.enqueuer.enqueue("letters", OutboxFixture.payloads("a"));
		this.outbox.enqueue("a=2");
		this.outbox.flush.step();
		// The rows of one queue have returned
		this.outbox.flush.ask();
		assertThat(this.outbox.kept()).hasSize(1);
		this.outbox.enqueue("b=1");
		this.outbox.flush.step();
		assertThat(this.outbox.flush.waiting()).containsOnlyKeys("queue 'letters'", "queue 'orders'");
		assertThat(perform()).isEmpty();
		this.outbox.flushAll();
		assertThat(perform()).containsExactlyInAnyOrder("a=1", "a=2", "b=1").containsSubsequence("a=1", "a=2");
		assertThat(this.outbox.unsent()).isZero();
		assertThat(this.outbox.flush.waiting()).isEmpty();
	}

	@Test
	void rowsOfAQueueThatWasRemovedLongAgoDoNotComeBack() {
		this.outbox.send("a=1");
		this.outbox.age(Duration.ofMinutes(1));
		this.outbox.send("b=1");
		TestAdmin.of(this.store).removeQueue("orders");
		Faults.Snapshot empty = new InMemoryRedis(InstantSource.system()).faults().snapshot();
		this.outbox.age(ShardActions.REFUSED_FOR.minusSeconds(30));
		forget(empty);
		this.outbox.later();
		assertThat(perform()).containsExactly("b=1");
		assertThat(this.outbox.kept()).containsExactly("b");
		assertThat(this.outbox.unsent()).isZero();
	}

	@Test
	void rowsThatWaitAreKeptWhenTheyAreSent() {
		this.outbox.enqueue("a=1");
		this.outbox.jdbc.update("""
				insert into lowkiq_outbox_aside (prefix, seq, queue, job_id, payload, delay, created_at, id_hash,
					put_aside)
				select prefix, seq, queue, job_id, payload, delay, created_at, %s, false from lowkiq_outbox"""
			.formatted(AsideTable.hash("a")));
		this.outbox.jdbc.update("delete from lowkiq_outbox");
		this.outbox.flushAll();
		this.outbox.nanos.addAndGet(Duration.ofMinutes(2).toNanos());
		this.outbox.flushAll();
		assertThat(this.outbox.kept()).containsExactly("a");
		assertThat(this.outbox.unsent()).isZero();
		assertThat(perform()).containsExactly("a=1");
	}

	@Test
	void theRowsOfAStepAreKeptByOneStatement() {
		this.outbox.enqueue(IntStream.range(0, 250).mapToObj((i) -> i + "=1").toArray(String[]::new));
		Map<Long, Shard> shards = this.outbox.jdbc.queryForList("select seq from lowkiq_outbox", Long.class)
			.stream()
			.collect(Collectors.toMap(Function.identity(), (sequence) -> new Shard("orders", 1, (int) (sequence % 4))));
		this.outbox.jdbc.execute("set query_statistics true");
		this.outbox.table.sent().keep("lowkiq_outbox", shards, new Stamp(7, 5));
		assertThat(this.outbox.jdbc.queryForObject("""
				select sum(execution_count) from information_schema.query_statistics
				where sql_statement like 'insert into lowkiq_outbox_sent%'""", Long.class)).isOne();
		assertThat(this.outbox.jdbc
			.queryForObject("select count(*) from lowkiq_outbox_sent where shard = '1:' || mod(seq, 4)", Long.class))
			.isEqualTo(250);
	}

	@Test
	void rowsOfAnUnknownQueueAreNeitherKeptNorDeleted() {
		this.outbox.enqueuer.enqueue("mails", OutboxFixture.payloads("m"));
		this.outbox.send("a=1");
		assertThat(this.outbox.kept()).containsExactly("a");
		assertThat(this.outbox.unsent()).isOne();
		this.store.queues().register("mails", 1);
		this.outbox.nanos.addAndGet(Duration.ofMinutes(2).toNanos());
		this.outbox.flushAll();
		assertThat(this.outbox.kept()).containsExactlyInAnyOrder("a", "m");
		assertThat(this.outbox.unsent()).isZero();
	}

	@Test
	void whatRedisHasForgottenIsNoticedThoughTheQueueCouldNotBeLookedUpAtFirst() {
		Faults.Snapshot empty = this.faults.snapshot();
		this.outbox.send("a=1");
		forget(empty);
		this.store.queues().register("orders", 4);
		AtomicBoolean isAway = new AtomicBoolean(true);
		QueueRegistry queues = Intercepted.of(QueueRegistry.class, this.store.queues(), (method, call) -> {
			if (isAway.getAndSet(false)) {
				throw new StoreUnreachableException("away", null);
			}
			return call.make();
		});
		Store store = Intercepted.of(Store.class, this.store,
				(method, call) -> method.equals("queues") ? queues : call.make());
		try (KeepingOutbox starting = new KeepingOutbox(store, this.outbox)) {
			starting.enqueue("a=2");
			starting.flushAll();
			assertThat(isAway).isFalse();
			assertThat(perform()).containsExactly("a=1", "a=2");
		}
	}

	@Test
	void aRowOfWhichNobodyKnowsWhereItWasSentIsSentAgain() {
		AtomicInteger lookUps = new AtomicInteger();
		BiFunction<String, String, Shard> failing = (queue, id) -> {
			if (lookUps.incrementAndGet() == 3) {
				throw new StoreUnreachableException("away", null);
			}
			return this.outbox.store.shardOf(queue, id);
		};
		OutboxTarget target = new OutboxTarget(this.outbox.store::enqueueFenced, this.outbox.store::ask, failing);
		OutboxFlush flush = new OutboxFlush(this.outbox.dataSource, this.outbox.table,
				new KeptRows(this.outbox.table, this.outbox.pass, target, this.outbox.nanos::get),
				this.outbox.nanos::get, new OutboxFlush.Settings(10, Duration.ofSeconds(5)));
		this.outbox.enqueue("a=1");
		flush.step();
		assertThat(lookUps).hasValue(3);
		assertThat(this.outbox.unsent()).isOne();
		flush.step();
		assertThat(this.outbox.unsent()).isZero();
		assertThat(this.outbox.kept()).containsExactly("a");
		assertThat(perform()).containsExactly("a=1");
	}

	@Test
	void anOutboxKeepsRowsAsLongAsOthersAreKept(CapturedOutput output) {
		try (KeepingOutbox other = new KeepingOutbox(this.store, this.outbox, Duration.ZERO)) {
			other.send("a=0");
			assertThat(this.outbox.kept()).isEmpty();
			perform();
			Faults.Snapshot copy = this.faults.snapshot();
			this.outbox.send("a=1");
			assertThat(perform()).containsExactly("a=1");
			assertThat(output).doesNotContain("lowkiq.outbox.keep-sent is not set here");
			other.send("a=2");
			other.send("a=3");
			assertThat(this.outbox.kept()).hasSize(3);
			assertThat(output).containsOnlyOnce("lowkiq.outbox.keep-sent is not set here");
			forget(copy);
			other.later();
			assertThat(perform()).containsExactly("a=1", "a=2", "a=3");
			this.outbox.age(KeepingOutbox.KEEP);
			other.later();
			assertThat(this.outbox.kept()).hasSize(3);
			this.outbox.age(Duration.ofSeconds(7));
			other.later();
			assertThat(this.outbox.kept()).isEmpty();
			other.later();
			other.send("a=4");
			assertThat(this.outbox.kept()).isEmpty();
			assertThat(other.flush.isKeeping()).isFalse();
		}
	}

}
