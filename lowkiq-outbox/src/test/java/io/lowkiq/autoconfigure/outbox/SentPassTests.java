package io.lowkiq.autoconfigure.outbox;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

import io.lowkiq.StoreException;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.Faults;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.ForgottenCallsException;
import io.lowkiq.store.OutboxCall.Stamp;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.job.ShardPayloads;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.entry;
import static org.awaitility.Awaitility.await;

/**
 * When shards are asked whether they still have what they were sent, and what comes of
 * their answers.
 */
@ExtendWith(OutputCaptureExtension.class)
class SentPassTests {

	private static final long INTERVAL = Duration.ofSeconds(5).toNanos();

	private static final long PAUSE = Duration.ofSeconds(1).toNanos();

	private final InMemoryRedis redis = new InMemoryRedis(InstantSource.system());

	private final Faults faults = this.redis.faults();

	private final RedisStore store = this.redis.store();

	/** How often the shards of a queue were asked, or sent rows. */
	private final AtomicInteger calls = new AtomicInteger();

	private volatile Consumer<List<?>> beforeCall = (shards) -> {
	};

	@AutoClose
	private final KeepingOutbox outbox = new KeepingOutbox(KeepingOutbox.intercepted(this.store, (method, call) -> {
		this.calls.incrementAndGet();
		this.beforeCall.accept((List<?>) call.argument(0));
		return call.make();
	}));

	private final Shard first = this.outbox.store.shardOf("orders", "a");

	@BeforeEach
	void leaveRoomForSmallerNumbers() {
		this.outbox.table.lock().raise(100_000);
	}

	/** An id of another shard than that of 'a'. */
	private final String other = Stream.of("b", "c", "d", "e", "f")
		.filter((id) -> !this.outbox.store.shardOf("orders", id).equals(this.first))
		.findFirst()
		.orElseThrow();

	private int callsAfter(long nanos) {
		this.calls.set(0);
		this.outbox.nanos.addAndGet(nanos);
		this.outbox.flushAll();
		return this.calls.get();
	}

	private void sendToQueues(String... queues) {
		for (String queue : queues) {
			this.store.queues().register(queue, 1);
			this.outbox.enqueuer.enqueue(queue, OutboxFixture.payloads("a"));
		}
		this.outbox.flushAll();
	}

	/** So many rows of the shard of 'a' are kept, each of a call of its own. */
	private void keepMany(int rows) {
		this.outbox.jdbc.update("""
				insert into lowkiq_outbox_sent (prefix, queue, shard, call_number, seq, job_id, payload, score,
					perform_at, delay, created_at)
				select prefix, queue, shard, call_number - x, x, job_id, payload, score, perform_at, delay, created_at
				from lowkiq_outbox_sent, system_range(1, %s)""".formatted(rows - 1));
	}

	/** A whole pass, with answers that are not those of the store. */
	private void ask(Function<List<Shard>, Map<Shard, StoreException>> answers) {
		do {
			this.outbox.pass
				.step((stream, shards) -> answers.apply(shards.stream().map(SentTable.KeptShard::shard).toList()));
		}
		while (this.outbox.pass.isDue());
	}

	private long rows(String table) {
		Long count = this.outbox.jdbc.queryForObject("select count(*) from " + table, Long.class);
		return (count != null) ? count : 0;
	}

	@Test
	void shardsAreAskedEveryFiveSecondsAndNotBefore() {
		this.outbox.send("a=1");
		assertThat(this.outbox.flush.untilRetry(Long.MAX_VALUE)).isEqualTo(INTERVAL);
		assertThat(callsAfter(INTERVAL - 1)).isZero();
		assertThat(callsAfter(1)).isOne();
		assertThat(callsAfter(INTERVAL - 1)).isZero();
	}

	@Test
	void aProcessThatStartsAsksAtOnce() {
		Faults.Snapshot copy = this.faults.snapshot();
		this.outbox.send("a=1");
		this.faults.promote(copy);
		this.store.queues().register("orders", 4);
		try (KeepingOutbox started = new KeepingOutbox(this.store, this.outbox)) {
			started.flushAll();
		}
		assertThat(KeepingOutbox.perform(this.store)).containsExactly("a=1");
	}

	@Test
	void anApplicationWithoutNewRowsAsksToo() {
		OutboxDatabase database = OutboxFixture.database(this.outbox.dataSource);
		OutboxFlusher flusher = new OutboxFlusher(this.outbox.table, this.outbox.flush,
				new HandedOverJobs(database, new OutboxWriter(database, this.outbox.table)), Duration.ofMillis(10),
				System::nanoTime, InstantSource.system());
		this.outbox.send("a=1");
		flusher.start();
		try {
			// The first ones may be part of the first look
			for (int i = 0; i < 3; i++) {
				int before = this.calls.get();
				await().atMost(OutboxFixture.LONG).until(() -> {
					this.outbox.nanos.addAndGet(INTERVAL);
					return this.calls.get() > before;
				});
			}
		}
		finally {
			flusher.stop();
		}
	}

	@Test
	void theShardsOfAllQueuesAreAsked() {
		sendToQueues("letters", "mails", "texts");
		assertThat(callsAfter(INTERVAL)).isEqualTo(3);
	}

	@Test
	void aPassWaitsAfterAQueueThatDidNotRespond() {
		sendToQueues("mails", "texts");
		this.faults.loseNextCall();
		assertThat(callsAfter(INTERVAL)).isOne();
		assertThat(callsAfter(PAUSE - 1)).isZero();
		assertThat(callsAfter(1)).isOne();
	}

	@Test
	void aPassGoesOnIfAnyShardOfAQueueResponded() {
		this.outbox.enqueue("a=1", this.other + "=1");
		sendToQueues("texts");
		this.faults.loseNextCall();
		assertThat(callsAfter(INTERVAL)).isEqualTo(2);
	}

	@Test
	void shardsThatCouldNotBeAskedAreAskedAsSoonAsRowsAreSentAgain() {
		Faults.Snapshot copy = this.faults.snapshot();
		this.outbox.send("a=1");
		this.faults.loseNextCall();
		assertThat(callsAfter(INTERVAL)).isOne();
		this.faults.promote(copy);
		this.store.queues().register("orders", 4);
		this.outbox.send(this.other + "=1");
		assertThat(KeepingOutbox.perform(this.store)).containsExactlyInAnyOrder("a=1", this.other + "=1");
	}

	@Test
	void shardsAreAskedOnceAfterALostConnection() {
		this.outbox.send("a=1");
		this.outbox.enqueue("a=2");
		this.faults.loseNextCall();
		assertThatExceptionOfType(StoreException.class).isThrownBy(this.outbox::flushAll);
		this.outbox.flushAll();
		this.outbox.enqueue("a=3");
		assertThat(callsAfter(0)).as("the call that sends it").isOne();
	}

	@Test
	void rowsOfAShardThatHasForgottenCallsStayInTheirTable() {
		Faults.Snapshot copy = this.faults.snapshot();
		this.outbox.send("a=1");
		this.faults.promote(copy);
		this.store.queues().register("orders", 4);
		this.outbox.enqueue("a=2", this.other + "=1");
		this.outbox.flush.step();
		assertThat(rows("lowkiq_outbox")).isOne();
		assertThat(rows("lowkiq_outbox_aside")).isZero();
	}

	@Test
	void rowsOfAShardThatAnswersWithAnErrorStayHoweverOldTheyAre() {
		this.outbox.send("a=1");
		this.outbox.age(Duration.ofDays(1));
		ask((shards) -> Map.of(this.first, new StoreException("WRONGTYPE", null)));
		assertThat(this.outbox.kept()).containsExactly("a");
		assertThat(this.outbox.unsent()).isZero();
	}

	@Test
	void theAgeOfARowIsThatBeforeItsShardWasAsked() {
		this.outbox.send("a=1");
		ask((shards) -> {
			// The answer takes long
			long late = System.currentTimeMillis() + Duration.ofDays(1).toMillis();
			this.outbox.jdbc.execute("alter table lowkiq_outbox_lock alter column clock set default " + late);
			return Map.of();
		});
		assertThat(this.outbox.kept()).containsExactly("a");
	}

	@Test
	void aTransactionReturnsSomeRowsToTheOutbox() {
		this.outbox.send("a=1");
		keepMany(300);
		Map<Shard, StoreException> forgotten = Map.of(this.first, new ForgottenCallsException(this.first, Stamp.NONE));
		ask((shards) -> forgotten);
		this.outbox.pass.takeBack((shards) -> forgotten);
		assertThat(rows("lowkiq_outbox_aside")).isEqualTo(50);
		assertThat(rows("lowkiq_outbox_sent")).isEqualTo(250);
	}

	@Test
	void othersAreSentWhileTheRowsOfAShardReturn(CapturedOutput output) {
		Faults.Snapshot copy = this.faults.snapshot();
		this.outbox.send("a=1");
		keepMany(600);
		this.faults.promote(copy);
		this.store.queues().register("orders", 4);
		this.outbox.enqueue("a=2");
		this.outbox.flush.step();
		this.outbox.flush.ask();
		assertThat(output)
			.containsOnlyOnce("Redis has forgotten jobs that it had confirmed. Rows of lowkiq_outbox_sent");
		this.outbox.enqueue(this.other + "=1", "a=3");
		this.outbox.flush.step();
		assertThat(KeepingOutbox.perform(this.store)).containsExactly(this.other + "=1");
		assertThat(rows("lowkiq_outbox")).as("what would be in the way of others").isZero();
		assertThat(this.outbox.flush.waiting())
			.containsExactly(entry("shard %s of queue 'orders'".formatted(this.first.index()),
					"Redis has forgotten jobs that it had confirmed. 50 rows have returned so far, to be sent again"));
		this.outbox.flushAll();
		assertThat(KeepingOutbox.perform(this.store)).endsWith("a=2", "a=3");
		assertThat(this.outbox.flush.waiting()).isEmpty();
		assertThat(this.outbox.unsent()).isZero();
		assertThat(output).containsOnlyOnce("Redis has forgotten").containsOnlyOnce("600 rows of 1 shards");
	}

	@Test
	void aStepDeletesSomeThousandRowsByOneStatement() {
		this.outbox.send("a=1");
		keepMany(5_100);
		this.outbox.send(this.other + "=1");
		this.outbox.age(Duration.ofDays(1));
		this.outbox.nanos.addAndGet(INTERVAL);
		this.outbox.flush.ask();
		assertThat(rows("lowkiq_outbox_sent")).as("asked, but not deleted").isEqualTo(5_101);
		this.outbox.jdbc.execute("set query_statistics true");
		this.outbox.flush.ask();
		assertThat(rows("lowkiq_outbox_sent")).isEqualTo(2_600);
		assertThat(this.outbox.jdbc.queryForObject("""
				select sum(execution_count) from information_schema.query_statistics
				where sql_statement like 'delete from%'""", Long.class)).isOne();
	}

	@ParameterizedTest
	@CsvSource({ "2, 12, 2", "50, 32, 100" })
	void anIdleProcessMakesAtMostSixtyStatementsAMinute(int queues, int shards, int asked) {
		this.outbox.flushAll();
		for (int queue = 0; queue < queues; queue++) {
			this.store.queues().register("queue" + queue, shards);
			this.outbox.jdbc.update("""
					insert into lowkiq_outbox_sent (prefix, queue, shard, call_number, seq, job_id, payload, delay,
						created_at)
					select 'lowkiq', ?, '1:' || (x - 1), 0, x, 'a', x'00', 0, 0 from system_range(1, ?)""",
					"queue" + queue, shards);
		}
		// The first question opens the shards
		this.outbox.later();
		this.calls.set(0);
		int before = this.outbox.statements.get();
		for (int tick = 0; tick < 12; tick++) {
			this.outbox.nanos.addAndGet(INTERVAL);
			assertThat(this.outbox.table.isEmpty()).isTrue();
			while (this.outbox.flush.isDue()) {
				this.outbox.flush.ask();
			}
		}
		assertThat(this.calls).hasValue(12 * asked);
		assertThat(this.outbox.statements.get() - before).isBetween(12, 60);
	}

	@Test
	void oneProcessAsksAsLongAsItIsThere() {
		this.outbox.send("a=1");
		try (KeepingOutbox other = new KeepingOutbox(this.store, this.outbox)) {
			other.flushAll();
			assertThat(callsAfter(INTERVAL)).as("it has looked since").isZero();
			for (int i = 0; i < 3; i++) {
				assertThat(callsAfter(INTERVAL)).isOne();
				int before = other.statements.get();
				other.later();
				assertThat(other.statements.get() - before).as("no call, and no read of what is kept").isLessThan(10);
				assertThat(other.pass.isDue()).isFalse();
			}
			this.outbox.age(Duration.ofDays(1));
			other.later();
			assertThat(this.outbox.kept()).as("the first one has gone").isEmpty();
		}
	}

	@Test
	void rowsAreSentBetweenTwoQueuesOfAPass() {
		sendToQueues("mails", "texts");
		OutboxDatabase database = OutboxFixture.database(this.outbox.dataSource);
		OutboxFlusher flusher = new OutboxFlusher(this.outbox.table, this.outbox.flush,
				new HandedOverJobs(database, new OutboxWriter(database, this.outbox.table)), Duration.ofMillis(10),
				System::nanoTime, InstantSource.system());
		List<Integer> sent = new CopyOnWriteArrayList<>();
		this.beforeCall = (shards) -> {
			sent.add(((ShardPayloads) shards.get(0)).payloads().size());
			if (sent.size() == 1) {
				this.outbox.enqueue("a=1");
				flusher.wake();
			}
		};
		this.outbox.nanos.addAndGet(INTERVAL);
		flusher.start();
		try {
			await().atMost(OutboxFixture.LONG).until(() -> sent.size() == 3);
			assertThat(sent).containsExactly(0, 1, 0);
		}
		finally {
			flusher.stop();
		}
	}

	@Test
	void nothingReturnsToTheOutboxWhileItsSequenceIsOutOfOrder() {
		Faults.Snapshot copy = this.faults.snapshot();
		this.outbox.send("a=1");
		this.outbox.jdbc.execute("alter table lowkiq_outbox alter column seq restart with 1");
		this.outbox.enqueue("b=1");
		assertThatIllegalStateException().isThrownBy(this.outbox::flushAll);
		this.faults.promote(copy);
		this.store.queues().register("orders", 4);
		assertThatIllegalStateException().isThrownBy(this.outbox::later);
		try (KeepingOutbox started = new KeepingOutbox(this.store, this.outbox)) {
			assertThatIllegalStateException().isThrownBy(started::flushAll).withMessageContaining("went back");
		}
		assertThat(this.outbox.kept()).containsExactly("a");
		assertThat(this.outbox.unsent()).isOne();
	}

}
