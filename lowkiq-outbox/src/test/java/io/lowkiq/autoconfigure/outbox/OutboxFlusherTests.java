package io.lowkiq.autoconfigure.outbox;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@ExtendWith(OutputCaptureExtension.class)
class OutboxFlusherTests {

	@AutoClose
	private final OutboxFixture outbox = new OutboxFixture();

	@Test
	void sendsWhatIsCommittedWithoutWaitingForTheNextSweep() {
		try (OutboxFixture patient = new OutboxFixture(Duration.ofHours(1))) {
			patient.flusher.start();
			patient.transaction.executeWithoutResult((status) -> patient.enqueue("1"));
			awaitSent(patient, "1");
			patient.enqueue("2");
			awaitSent(patient, "1", "2");
			await().atMost(OutboxFixture.LONG).until(() -> patient.rows() == 0);
			patient.enqueue("3");
			awaitSent(patient, "1", "2", "3");
		}
	}

	@Test
	void sweepsWhatACrashLeft() {
		this.outbox.enqueue("1");
		this.outbox.flusher.start();
		awaitSent("1");
	}

	@Test
	void sweepsWhatAnotherProcessLeft() throws SQLException {
		insertElsewhere("1");
		this.outbox.flusher.start();
		await().atMost(OutboxFixture.LONG).until(() -> this.outbox.rows() == 0);
		insertElsewhere("2");
		awaitSent("1", "2");
	}

	private void insertElsewhere(String id) throws SQLException {
		try (Connection other = this.outbox.dataSource.getConnection()) {
			this.outbox.table.insert(other, Map.of("orders", OutboxFixture.payloads(id)));
		}
	}

	@Test
	void goesOnWhenTheStoreIsBack(CapturedOutput output) {
		this.outbox.target.away();
		this.outbox.flusher.start();
		this.outbox.enqueue("1");
		await().atMost(OutboxFixture.LONG)
			.untilAsserted(() -> assertThat(this.outbox.flusher.problem()).contains("Redis is away"));
		assertThat(this.outbox.rows()).isOne();
		this.outbox.target.works();
		awaitSent("1");
		await().atMost(OutboxFixture.LONG).until(() -> this.outbox.flusher.problem() == null);
		assertThat(output).containsOnlyOnce("Background task 'outbox' fails")
			.containsOnlyOnce("Background task 'outbox' works again");
	}

	@Test
	void waitsForAnotherProcessWithoutComplaint() throws SQLException {
		try (Connection other = this.outbox.dataSource.getConnection()) {
			other.setAutoCommit(false);
			other.createStatement().executeQuery("select taken from lowkiq_outbox_lock for update").next();
			this.outbox.enqueue("1");
			this.outbox.flusher.start();
			await().atMost(OutboxFixture.LONG).until(this::isWaitingForTheLock);
			other.rollback();
		}
		awaitSent("1");
		assertThat(this.outbox.flusher.problem()).isNull();
	}

	@Test
	void aLockThatNobodyGivesBackIsAProblemAfterAMinute(CapturedOutput output) throws SQLException {
		try (Connection other = this.outbox.dataSource.getConnection()) {
			other.setAutoCommit(false);
			other.createStatement().executeQuery("select taken from lowkiq_outbox_lock for update").next();
			this.outbox.enqueue("1");
			this.outbox.flusher.start();
			await().atMost(OutboxFixture.LONG).until(() -> {
				this.outbox.nanos.addAndGet(Duration.ofSeconds(61).toNanos());
				return this.outbox.flusher.standstill() != null;
			});
			Health health = new OutboxHealthIndicator(this.outbox.table, this.outbox.flush, this.outbox.flusher)
				.health();
			assertThat(health.getStatus()).isEqualTo(Status.DOWN);
			assertThat(health.getDetails()).containsKey("standstill");
			await().atMost(OutboxFixture.LONG)
				.untilAsserted(() -> assertThat(this.outbox.flusher.problem()).contains("No process has sent rows"));
			assertThat(output).containsOnlyOnce("Background task 'outbox' fails");
			other.rollback();
		}
		awaitSent("1");
		await().atMost(OutboxFixture.LONG).until(() -> this.outbox.flusher.standstill() == null);
	}

	private Health healthAfterAMinute() {
		await().atMost(OutboxFixture.LONG).until(() -> this.outbox.flusher.problem() != null);
		int before = this.outbox.target.calls();
		this.outbox.nanos.addAndGet(Duration.ofSeconds(61).toNanos());
		this.outbox.flusher.wake();
		await().atMost(OutboxFixture.LONG)
			.until(() -> this.outbox.flusher.standstill() != null || this.outbox.target.calls() > before + 2);
		return new OutboxHealthIndicator(this.outbox.table, this.outbox.flush, this.outbox.flusher).health();
	}

	@Test
	void isDownIfNothingCanBeSentThoughRedisResponds() {
		this.outbox.enqueue("1");
		this.outbox.jdbc.execute("alter table lowkiq_outbox_lock alter column highest rename to other");
		this.outbox.flusher.start();
		Health health = healthAfterAMinute();
		assertThat(health.getStatus()).isEqualTo(Status.DOWN);
		assertThat(health.getDetails()).containsKeys("standstill", "problem");
		this.outbox.jdbc.execute("alter table lowkiq_outbox_lock alter column other rename to highest");
		awaitSent("1");
		await().atMost(OutboxFixture.LONG).until(() -> this.outbox.flusher.standstill() == null);
	}

	@Test
	void isUpWithTheProblemWhileRedisIsAway() {
		this.outbox.enqueue("1");
		this.outbox.target.away();
		this.outbox.flusher.start();
		Health health = healthAfterAMinute();
		assertThat(health.getStatus()).isEqualTo(Status.UP);
		assertThat(health.getDetails()).containsKey("problem").doesNotContainKey("standstill");
	}

	@Test
	void aLockThatOthersUseInTurnIsNoProblem() throws SQLException {
		try (Connection other = this.outbox.dataSource.getConnection()) {
			other.setAutoCommit(false);
			other.createStatement().executeQuery("select taken from lowkiq_outbox_lock for update").next();
			this.outbox.enqueue("1");
			this.outbox.flusher.start();
			await().atMost(OutboxFixture.LONG).until(this::isWaitingForTheLock);
			this.outbox.nanos.addAndGet(Duration.ofSeconds(50).toNanos());
			other.createStatement().executeUpdate("update lowkiq_outbox_lock set taken = taken + 1");
			other.commit();
			awaitSent("1");
		}
		this.outbox.nanos.addAndGet(Duration.ofSeconds(50).toNanos());
		assertThat(this.outbox.flusher.standstill()).isNull();
	}

	private boolean isWaitingForTheLock() {
		return !this.outbox.jdbc.queryForList("select 1 from information_schema.sessions where blocker_id is not null")
			.isEmpty();
	}

	@Test
	void aStopDoesNotWaitForTheNextSweepAndSendsWhatIsLeft() throws SQLException {
		try (OutboxFixture patient = new OutboxFixture(Duration.ofHours(1))) {
			patient.flusher.start();
			patient.enqueue("1");
			awaitSent(patient, "1");
			await().atMost(OutboxFixture.LONG).until(() -> patient.rows() == 0);
			try (Connection other = patient.dataSource.getConnection()) {
				patient.table.insert(other, Map.of("orders", OutboxFixture.payloads("2")));
			}
			patient.flusher.stop();
			assertThat(patient.target.ids()).containsExactly("1", "2");
		}
	}

	@Test
	void whatIsHandedOverIsWrittenBetweenStepsAndNotAfterTheNextSweep() {
		try (OutboxFixture patient = new OutboxFixture(Duration.ofHours(1))) {
			patient.enqueue(IntStream.range(0, 35).mapToObj(Integer::toString).toArray(String[]::new));
			List<Long> left = new ArrayList<>();
			patient.target.watch((queue, payloads) -> {
				if (patient.target.calls() == 1) {
					var unused = patient.handedOver.add(queue, OutboxFixture.payloads("handed over"))
						.thenRun(() -> left.add(35L - patient.target.ids().size()));
					patient.flusher.wake();
				}
			});
			patient.flusher.start();
			await().atMost(OutboxFixture.LONG)
				.untilAsserted(() -> assertThat(patient.target.ids()).hasSize(36).endsWith("handed over"));
			assertThat(left).containsExactly(25L);
		}
	}

	@Test
	void jobsThatAreHandedOverWithoutEndDoNotKeepRowsFromBeingSent() {
		this.outbox.enqueue("1");
		AtomicBoolean isOver = new AtomicBoolean();
		handOverForEver(isOver);
		this.outbox.flusher.start();
		await().atMost(OutboxFixture.LONG).until(() -> this.outbox.target.ids().contains("1"));
		isOver.set(true);
	}

	/** One more each time that one was written. */
	private void handOverForEver(AtomicBoolean isOver) {
		var unused = this.outbox.handedOver.add("orders", OutboxFixture.payloads("x")).thenRun(() -> {
			if (!isOver.get()) {
				handOverForEver(isOver);
			}
		});
	}

	@Test
	void checksTheTablesWhenTheDatabaseIsBack() {
		this.outbox.jdbc.execute("alter table lowkiq_outbox_aside drop column created_at");
		OutboxTable unchecked = new OutboxTable(this.outbox.dataSource, "lowkiq", () -> this.outbox.now);
		OutboxFlusher flusher = new OutboxFlusher(unchecked, this.outbox.flush, this.outbox.handedOver,
				Duration.ofMillis(100), this.outbox.nanos::get, () -> this.outbox.now);
		flusher.start();
		await().atMost(OutboxFixture.LONG)
			.untilAsserted(() -> assertThat(flusher.problem()).containsIgnoringCase("created_at"));
		flusher.stop();
	}

	@Test
	void canBeStoppedAndStartedAgain() {
		this.outbox.flusher.start();
		this.outbox.flusher.start();
		assertThat(this.outbox.flusher.isRunning()).isTrue();
		this.outbox.enqueue("1");
		this.outbox.flusher.stop();
		assertThat(this.outbox.flusher.isRunning()).isFalse();
		assertThat(this.outbox.target.ids()).containsExactly("1");
		this.outbox.enqueue("2");
		assertThat(this.outbox.target.ids()).containsExactly("1");
		this.outbox.flusher.start();
		awaitSent("1", "2");
	}

	private void awaitSent(String... ids) {
		awaitSent(this.outbox, ids);
	}

	private static void awaitSent(OutboxFixture outbox, String... ids) {
		await().atMost(OutboxFixture.LONG).untilAsserted(() -> assertThat(outbox.target.ids()).containsExactly(ids));
	}

}
