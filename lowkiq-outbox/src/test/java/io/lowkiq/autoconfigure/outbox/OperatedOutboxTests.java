package io.lowkiq.autoconfigure.outbox;

import java.time.Instant;
import java.time.InstantSource;
import java.util.List;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import io.lowkiq.StoreException;
import io.lowkiq.admin.OutboxStatus;
import io.lowkiq.admin.UnsentJob;
import io.lowkiq.autoconfigure.outbox.WaitingRows.Parts;
import io.lowkiq.redis.inmemory.InMemoryRedis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.entry;

class OperatedOutboxTests {

	@AutoClose
	private final OutboxFixture outbox = new OutboxFixture();

	private final OperatedOutbox operated = new OperatedOutbox(this.outbox.dataSource, this.outbox.table,
			this.outbox.flush, this.outbox.flusher);

	@Test
	void jobsThatWerePutAsideAreListedWithTheirReasons() {
		putAside("a", "too long");
		putAside("b", "too odd");
		OutboxStatus status = this.operated.status(1);
		assertThat(status.aside()).isEqualTo(2);
		assertThat(status.jobsAside()).singleElement().satisfies((job) -> {
			assertThat(job.queue()).isEqualTo("orders");
			assertThat(job.id()).isEqualTo("a");
			assertThat(job.reason()).isEqualTo("too long");
			assertThat(job.enqueuedAt()).isAfter(this.outbox.now);
			assertThat(this.operated.find(job.sequence())).contains(job);
		});
		assertThat(this.operated.find(7)).isEmpty();
		assertThat(status.problem()).isNull();
	}

	@Test
	void whatWaitsIsListedToo() {
		this.outbox.target.refuses("orders");
		this.outbox.send("1");
		putAside("2", "too long");
		OutboxStatus status = this.operated.status(0);
		assertThat(status.waiting()).containsEntry("queue 'orders'", "No queue 'orders'");
		assertThat(status.waitingJobs()).isEqualTo(1);
		assertThat(status.waitingSince()).isAfter(this.outbox.now);
	}

	@Test
	void aJobIsSentAgainBeforeTheLaterOnesOfItsId() {
		UnsentJob job = putAside("a", "too long");
		this.outbox.send("a", "b");
		assertThat(this.outbox.target.ids()).containsExactly("b");
		assertThat(this.operated.sendAgain(job.sequence())).isTrue();
		assertThat(this.operated.sendAgain(job.sequence())).isFalse();
		this.outbox.flushAll();
		assertThat(this.outbox.target.payloads()).filteredOn((payload) -> payload.id().equals("a"))
			.extracting((payload) -> payload.score())
			.containsExactly((double) job.sequence(), job.sequence() + 1.0);
		assertThat(this.operated.status(10)).isEqualTo(OutboxStatus.EMPTY);
	}

	@Test
	void afterADropTheLaterJobsOfTheIdAreSent() {
		UnsentJob job = putAside("a", "too long");
		this.outbox.send("a");
		assertThat(this.operated.drop(job.sequence())).isTrue();
		assertThat(this.operated.drop(job.sequence())).isFalse();
		this.outbox.flushAll();
		assertThat(this.outbox.target.payloads()).extracting((payload) -> payload.score())
			.containsExactly(job.sequence() + 1.0);
	}

	@Test
	void jobsOfOtherKeyPrefixesAreNotSeen() {
		UnsentJob job = putAside("a", "too long");
		OutboxTable table = new OutboxTable(this.outbox.dataSource, "other", () -> this.outbox.now);
		OperatedOutbox other = new OperatedOutbox(this.outbox.dataSource, table, this.outbox.flush,
				this.outbox.flusher);
		assertThat(other.status(10).aside()).isZero();
		assertThat(other.drop(job.sequence())).isFalse();
		assertThat(other.sendAgain(job.sequence())).isFalse();
		assertThat(this.operated.status(0).aside()).isOne();
		assertThat(this.outbox.rows()).isZero();
	}

	/** They would get new numbers with the newer ones. */
	@Test
	void nothingReturnsWhileTheSequenceIsOutOfOrder() {
		UnsentJob job = putAside("a", "too long");
		this.outbox.jdbc.update("update lowkiq_outbox_lock set back_to = 1, back_from = 2, back_at = 3");
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> this.operated.sendAgain(job.sequence()))
			.withMessageContaining("out of order");
		assertThat(this.operated.status(0).aside()).isOne();
	}

	@Test
	void noKeptRowReturnsWhileTheSequenceIsOutOfOrder() {
		try (KeepingOutbox keeping = new KeepingOutbox(InMemoryRedis.newStore(InstantSource.system()))) {
			keeping.send("a=1");
			keeping.jdbc.update("update lowkiq_outbox_lock set back_to = 1, back_from = 2, back_at = 3");
			OperatedOutbox operatedKeeping = operated(keeping);
			assertThatExceptionOfType(StoreException.class)
				.isThrownBy(() -> operatedKeeping.resendKept(Instant.EPOCH, Instant.now().plusSeconds(60)))
				.withMessageContaining("out of order");
			assertThat(keeping.kept()).containsExactly("a");
			assertThat(keeping.unsent()).isZero();
		}
	}

	@Test
	void anIdIsErasedInAllTables() {
		try (KeepingOutbox keeping = new KeepingOutbox(InMemoryRedis.newStore(InstantSource.system()))) {
			OperatedOutbox operatedKeeping = operated(keeping);
			keeping.send("a=1", "a=2", "b=1");
			keeping.enqueue("a=3", "b=2");
			keeping.table.aside().add(keeping.table.read(1, new Parts((queue, id) -> null), "").rows(), null);
			keeping.enqueuer.enqueue("others", OutboxFixture.payloads("a"));
			assertThat(operatedKeeping.erase("others", "b")).isEmpty();
			assertThat(operatedKeeping.erase("others", "a")).containsExactly(entry("others", 1L));
			assertThat(operatedKeeping.erase(null, "a")).containsExactly(entry("orders", 4L));
			assertThat(keeping.kept()).containsExactly("b");
			assertThat(keeping.unsent()).isOne();
			keeping.send("a:ü:1=1", "a:ü:2=1", "a_ü:3=1", "A:ü:4=1");
			keeping.enqueue("a:ü:1=2", "a:=1");
			assertThat(operatedKeeping.erasePrefix("a:ü:")).containsExactly(entry("orders", 3L));
			assertThat(operatedKeeping.erasePrefix("a:")).containsExactly(entry("orders", 1L));
			assertThat(keeping.kept()).containsExactly("b", "b", "a_ü:3", "A:ü:4");
			assertThat(keeping.unsent()).isZero();
		}
	}

	@Test
	void whatIsKeptOfDeletedJobsIsDropped() {
		try (KeepingOutbox keeping = new KeepingOutbox(InMemoryRedis.newStore(InstantSource.system()))) {
			keeping.send("a=1", "a=2", "b=1", "e=1");
			operated(keeping).dropKept(keeping.store.shardOf("orders", "a"), List.of("a", "e", "x"));
			assertThat(keeping.kept()).doesNotContain("a").contains("b");
		}
	}

	private OperatedOutbox operated(KeepingOutbox keeping) {
		return new OperatedOutbox(keeping.dataSource, keeping.table, keeping.flush, this.outbox.flusher);
	}

	@Test
	void aDatabaseThatCanNotBeReadIsAProblemOfTheStore() {
		this.outbox.jdbc.execute("drop table lowkiq_outbox_aside");
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> this.operated.status(1));
	}

	private UnsentJob putAside(String id, String reason) {
		this.outbox.enqueue(id);
		this.outbox.putFirstAside(reason);
		return this.operated.status(100)
			.jobsAside()
			.stream()
			.filter((job) -> job.id().equals(id))
			.findFirst()
			.orElseThrow();
	}

}
