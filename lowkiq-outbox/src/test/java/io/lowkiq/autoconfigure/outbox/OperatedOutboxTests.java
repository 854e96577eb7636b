package io.lowkiq.autoconfigure.outbox;

import java.time.Instant;
import java.time.InstantSource;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import io.lowkiq.admin.OutboxStatus;
import io.lowkiq.admin.UnsentJob;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.StoreException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

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
		assertThat(this.operated.status(0).waiting()).containsEntry("queue 'orders'", "No queue 'orders'");
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
			OperatedOutbox operatedKeeping = new OperatedOutbox(keeping.dataSource, keeping.table, keeping.flush,
					this.outbox.flusher);
			assertThatExceptionOfType(StoreException.class)
				.isThrownBy(() -> operatedKeeping.resendKept(Instant.EPOCH, Instant.now().plusSeconds(60)))
				.withMessageContaining("out of order");
			assertThat(keeping.kept()).containsExactly("a");
			assertThat(keeping.unsent()).isZero();
		}
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
