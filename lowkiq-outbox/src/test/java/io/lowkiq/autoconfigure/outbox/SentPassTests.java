package io.lowkiq.autoconfigure.outbox;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.lowkiq.redis.inmemory.Faults;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.ForgottenCallsException;
import io.lowkiq.store.OutboxCall.Stamp;
import io.lowkiq.store.Shard;
import io.lowkiq.store.StoreException;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * When shards are asked whether they still have what they were sent, and what comes of
 * their answers.
 */
class SentPassTests {

	private static final long INTERVAL = Duration.ofSeconds(5).toNanos();

	private static final long PAUSE = Duration.ofSeconds(1).toNanos();

	private final InMemoryRedis redis = new InMemoryRedis(InstantSource.system());

	private final Faults faults = this.redis.faults();

	private final RedisStore store = this.redis.store();

	/** How often the shards of a queue were asked, or sent rows. */
	private final AtomicInteger calls = new AtomicInteger();

	@AutoClose
	private final KeepingOutbox outbox = new KeepingOutbox(KeepingOutbox.intercepted(this.store, (method, call) -> {
		this.calls.incrementAndGet();
		return call.make();
	}));

	private final Shard first = this.outbox.store.shardOf("orders", "a");

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
				select prefix, queue, shard, call_number + x, x, job_id, payload, score, perform_at, delay, created_at
				from lowkiq_outbox_sent, system_range(1, %d)""".formatted(rows - 1));
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
		assertThat(this.outbox.flush.step()).isTrue();
		assertThat(rows("lowkiq_outbox")).isOne();
		assertThat(rows("lowkiq_outbox_aside")).isZero();
	}

	@Test
	void rowsOfAShardThatAnswersWithAnErrorStayHoweverOldTheyAre() {
		this.outbox.send("a=1");
		this.outbox.age(Duration.ofDays(1));
		this.outbox.pass.ask((shards) -> Map.of(this.first, new StoreException("WRONGTYPE", null)));
		assertThat(this.outbox.kept()).containsExactly("a");
		assertThat(this.outbox.unsent()).isZero();
	}

	@Test
	void theAgeOfARowIsThatBeforeItsShardWasAsked() {
		this.outbox.send("a=1");
		this.outbox.pass.ask((shards) -> {
			// The answer takes long
			long late = System.currentTimeMillis() + Duration.ofDays(1).toMillis();
			this.outbox.jdbc.execute("alter table lowkiq_outbox_lock alter column clock set default " + late);
			return Map.of();
		});
		assertThat(this.outbox.kept()).containsExactly("a");
	}

	@Test
	void aTransactionReturnsSomeThousandRowsToTheOutbox() {
		this.outbox.send("a=1");
		keepMany(5_100);
		this.outbox.pass.ask((shards) -> Map.of(this.first, new ForgottenCallsException(this.first, Stamp.NONE)));
		assertThat(rows("lowkiq_outbox")).isEqualTo(5_000);
		assertThat(rows("lowkiq_outbox_sent")).isEqualTo(100);
	}

	@Test
	void aTransactionDeletesSomeThousandRowsOfAShard() {
		this.outbox.send("a=1");
		keepMany(20_100);
		this.outbox.age(Duration.ofDays(1));
		this.outbox.pass.ask((shards) -> Map.of());
		assertThat(rows("lowkiq_outbox_sent")).isEqualTo(100);
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
