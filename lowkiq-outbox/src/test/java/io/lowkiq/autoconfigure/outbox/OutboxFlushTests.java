package io.lowkiq.autoconfigure.outbox;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.dao.PessimisticLockingFailureException;

import io.lowkiq.store.NewPayload;
import io.lowkiq.store.StoreException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@ExtendWith(OutputCaptureExtension.class)
class OutboxFlushTests {

	/** Where the sequence begins. */
	private static final double FIRST = 8796093022208.0;

	private final OutboxFixture outbox = new OutboxFixture();

	@AfterEach
	void close() {
		this.outbox.close();
	}

	@Test
	void rowsAreSentInTheirOrderAndDeleted() {
		this.outbox.enqueue("2", "1");
		this.outbox.enqueue("2");
		assertThat(this.outbox.flush.step()).isFalse();
		assertThat(this.outbox.target.ids()).containsExactly("2", "1", "2");
		assertThat(this.outbox.rows()).isZero();
	}

	@Test
	void theDefaultScoreIsTheSequence() {
		this.outbox.enqueue("1", "1");
		this.outbox.enqueuer.enqueue("orders", List.of(OutboxFixture.payloads("1").get(0).withScore(7)));
		this.outbox.flush.step();
		assertThat(this.outbox.target.payloads()).extracting(NewPayload::score).containsExactly(FIRST, FIRST + 1, 7.0);
	}

	@Test
	void theSequenceIsAboveTheScoresOfRedisClock() {
		assertThat(FIRST).isGreaterThan(Duration.ofDays(365 * 270).toMillis());
		assertThat(Math.ulp(FIRST)).isLessThan(0.002);
	}

	@Test
	void aDelayHasBeenRunningSinceTheEnqueue() {
		NewPayload payload = OutboxFixture.payloads("1").get(0);
		this.outbox.enqueuer.enqueue("orders", List.of(payload.withDelay(Duration.ofSeconds(10)),
				payload.withDelay(Duration.ofSeconds(3)), payload.withPerformAt(5)));
		this.outbox.now = this.outbox.now.plusSeconds(4);
		this.outbox.flush.step();
		assertThat(this.outbox.target.payloads()).extracting(NewPayload::delay).containsExactly(6_000L, 0L, 0L);
		assertThat(this.outbox.target.payloads()).extracting(NewPayload::performAt).containsExactly(null, null, 5L);
	}

	@Test
	void moreThanABatchTakesSeveralSteps() {
		this.outbox.enqueue(IntStream.range(0, 15).mapToObj(Integer::toString).toArray(String[]::new));
		assertThat(this.outbox.flush.step()).isTrue();
		assertThat(this.outbox.rows()).isEqualTo(5);
		assertThat(this.outbox.flush.step()).isFalse();
		assertThat(this.outbox.target.ids()).hasSize(15)
			.isEqualTo(IntStream.range(0, 15).mapToObj(Integer::toString).toList());
	}

	@Test
	void largePayloadsAreNotReadAllAtOnce() {
		byte[] large = "x".repeat(5 << 20).getBytes(StandardCharsets.UTF_8);
		this.outbox.enqueuer.enqueue("orders",
				List.of(NewPayload.of("1", large), NewPayload.of("2", large), NewPayload.of("3", large)));
		assertThat(this.outbox.flush.step()).isTrue();
		assertThat(this.outbox.target.ids()).containsExactly("1", "2");
	}

	@Test
	void rowsStayWhileTheStoreIsAway() {
		this.outbox.target.away();
		this.outbox.enqueue("1");
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> this.outbox.flush.step());
		assertThat(this.outbox.rows()).isOne();
		this.outbox.target.works();
		this.outbox.flush.step();
		assertThat(this.outbox.target.ids()).containsExactly("1");
		assertThat(this.outbox.rows()).isZero();
	}

	@Test
	void afterALostAnswerRowsAreSentAgainWithTheSameScores() {
		this.outbox.target.losesAnswers();
		this.outbox.enqueue("1", "1");
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> this.outbox.flush.step());
		this.outbox.target.works();
		this.outbox.enqueue("1");
		this.outbox.flush.step();
		assertThat(this.outbox.target.payloads()).extracting(NewPayload::score)
			.containsExactly(FIRST, FIRST + 1, FIRST, FIRST + 1, FIRST + 2);
	}

	@Test
	void rowsThatAreCommittedLateWithASmallerSequenceAreSentAndNoneIsDeletedUnsent() throws SQLException {
		try (Connection early = this.outbox.dataSource.getConnection();
				Connection late = this.outbox.dataSource.getConnection()) {
			early.setAutoCommit(false);
			late.setAutoCommit(false);
			this.outbox.table.insert(late, Map.of("orders", OutboxFixture.payloads("late")));
			this.outbox.table.insert(early, Map.of("orders", OutboxFixture.payloads("early")));
			early.commit();
			this.outbox.flush.step();
			assertThat(this.outbox.target.ids()).containsExactly("early");
			late.commit();
			this.outbox.flush.step();
			assertThat(this.outbox.target.ids()).containsExactly("early", "late");
		}
	}

	@Test
	void aRowThatIsCommittedDuringTheSendIsNotDeleted() throws SQLException {
		try (Connection late = this.outbox.dataSource.getConnection()) {
			late.setAutoCommit(false);
			this.outbox.table.insert(late, Map.of("orders", OutboxFixture.payloads("late")));
			this.outbox.enqueue("early");
			OutboxFlush flush = new OutboxFlush(this.outbox.dataSource, this.outbox.table, (queue, payloads) -> {
				try {
					late.commit();
				}
				catch (SQLException ex) {
					throw new IllegalStateException(ex);
				}
			}, () -> this.outbox.now, 10);
			flush.step();
			assertThat(this.outbox.table.first(10, List.of()).rows()).extracting((row) -> row.payload().id())
				.containsExactly("late");
		}
	}

	@Test
	void onlyOneEmptiesTheTable() throws SQLException {
		this.outbox.enqueue("1");
		try (Connection other = this.outbox.dataSource.getConnection()) {
			other.setAutoCommit(false);
			other.createStatement().executeQuery("select id from lowkiq_outbox_lock where id = 1 for update").next();
			assertThatExceptionOfType(PessimisticLockingFailureException.class)
				.isThrownBy(() -> this.outbox.flush.step());
			other.rollback();
		}
		assertThat(this.outbox.target.ids()).isEmpty();
		this.outbox.flush.step();
		assertThat(this.outbox.target.ids()).containsExactly("1");
	}

	@Test
	void aQueueThatIsNotKnownWaitsAndTheOthersGoOn(CapturedOutput output) {
		this.outbox.target.refuses("orders");
		this.outbox.enqueue(IntStream.range(0, 25).mapToObj(Integer::toString).toArray(String[]::new));
		this.outbox.enqueuer.enqueue("mails", OutboxFixture.payloads("mail"));
		flushAll();
		assertThat(this.outbox.target.ids()).containsExactly("mail");
		assertThat(this.outbox.rows()).isEqualTo(25);
		assertThat(this.outbox.flush.waitingQueues()).containsOnlyKeys("orders");
		this.outbox.flush.retryWaitingQueues();
		flushAll();
		assertThat(output.toString().split("rows of queue 'orders'", -1)).hasSize(2);
		this.outbox.target.works();
		this.outbox.flush.retryWaitingQueues();
		flushAll();
		assertThat(this.outbox.target.ids()).hasSize(26);
		assertThat(this.outbox.flush.waitingQueues()).isEmpty();
		assertThat(output).contains("are being sent again");
	}

	private void flushAll() {
		while (this.outbox.flush.step()) {
			// The next step
		}
		this.outbox.flush.end();
	}

	@Test
	void whatWasSentBeforeAProblemIsDeleted() {
		this.outbox.enqueuer.enqueue("mails", OutboxFixture.payloads("mail"));
		this.outbox.enqueue("1");
		OutboxFlush flush = new OutboxFlush(this.outbox.dataSource, this.outbox.table, (queue, payloads) -> {
			if (queue.equals("orders")) {
				throw new StoreException("Out of reach", null);
			}
		}, () -> this.outbox.now, 10);
		assertThatExceptionOfType(StoreException.class).isThrownBy(flush::step);
		assertThat(this.outbox.table.first(10, List.of()).rows()).extracting(OutboxRow::queue)
			.containsExactly("orders");
	}

}
