package io.lowkiq.autoconfigure.outbox;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import javax.sql.DataSource;

import io.lowkiq.NewerVersionException;
import io.lowkiq.StoreException;
import io.lowkiq.StoreUnreachableException;
import io.lowkiq.store.job.NewPayload;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@ExtendWith(OutputCaptureExtension.class)
class OutboxFlushTests {

	/** Where the sequence begins. */
	private static final double LOWEST = 8796093022208.0;

	@AutoClose
	private final OutboxFixture outbox = new OutboxFixture();

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
		double first = this.outbox.nextNumber();
		this.outbox.enqueue("1", "1");
		this.outbox.enqueuer.enqueue("orders", List.of(OutboxFixture.payloads("1").get(0).withScore(7)));
		this.outbox.flush.step();
		assertThat(this.outbox.target.payloads()).extracting(NewPayload::score).containsExactly(first, first + 1, 7.0);
	}

	@Test
	void theSequenceIsAboveTheScoresOfRedisClock() {
		assertThat(this.outbox.nextNumber()).isBetween((long) LOWEST, (long) LOWEST + 10);
		assertThat(LOWEST).isGreaterThan(Duration.ofDays(365 * 270).toMillis());
		assertThat(Math.ulp(LOWEST)).isLessThan(0.002);
	}

	@Test
	void aDelayHasBeenRunningSinceTheEnqueueByTheClockOfTheDatabase() {
		NewPayload payload = OutboxFixture.payloads("1").get(0);
		this.outbox.enqueuer.enqueue("orders", List.of(payload.withDelay(Duration.ofDays(10)),
				payload.withDelay(Duration.ofDays(3)), payload.withPerformAt(5)));
		this.outbox.jdbc.update("update lowkiq_outbox set created_at = created_at - ?", Duration.ofDays(4).toMillis());
		this.outbox.flush.step();
		assertThat(this.outbox.target.payloads()).extracting(NewPayload::delay)
			.satisfiesExactly(
					(delay) -> assertThat(delay).isBetween(Duration.ofDays(5).toMillis(),
							Duration.ofDays(6).toMillis()),
					(delay) -> assertThat(delay).isZero(), (delay) -> assertThat(delay).isZero());
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
	void theLockIsHeldForOneTimeoutOfTheStoreAtMost() {
		this.outbox.target.away();
		this.outbox.enqueueInto(List.of("a", "b", "c", "d"), "1");
		for (int i = 1; i <= 2; i++) {
			assertThat(this.outbox.flush.step()).isTrue();
			assertThat(this.outbox.target.calls()).isEqualTo(i);
		}
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> this.outbox.flush.step());
		assertThat(this.outbox.target.calls()).isEqualTo(3);
		assertThat(this.outbox.flush.waiting()).isEmpty();
		this.outbox.target.works();
		this.outbox.flushAll();
		assertThat(this.outbox.target.ids()).hasSize(4);
	}

	@Test
	void aQueueWithRowsOfASilentShardOnlyDoesNotHideTheNextOnes() {
		this.outbox.target.refusesShardOf("a", new StoreUnreachableException("A master is away", null));
		this.outbox.enqueueInto(List.of("apples", "bananas", "cherries", "dates"), "a");
		this.outbox.enqueueInto(List.of("figs"), "b");
		assertThatExceptionOfType(StoreException.class).isThrownBy(this.outbox::flushAll);
		this.outbox.flushAll();
		assertThat(this.outbox.target.ids()).containsExactly("b");
		assertThat(this.outbox.flush.waiting()).hasSize(4).containsKey("shard 1 of queue 'apples'");
		// Three until it gave up, and each queue once
		assertThat(this.outbox.target.calls()).isEqualTo(3 + 5);
		this.outbox.flushAll();
		assertThat(this.outbox.target.calls()).isEqualTo(3 + 5);
	}

	@Test
	void afterALostAnswerRowsAreSentAgainWithTheSameScores() {
		double first = this.outbox.nextNumber();
		this.outbox.target.losesAnswers();
		this.outbox.enqueue("1", "1");
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> this.outbox.flush.step());
		this.outbox.target.works();
		this.outbox.enqueue("1");
		this.outbox.flush.step();
		assertThat(this.outbox.target.payloads()).extracting(NewPayload::score)
			.containsExactly(first, first + 1, first, first + 1, first + 2);
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
			OutboxFlush flush = this.outbox.flush((queue, payloads) -> {
				try {
					late.commit();
				}
				catch (SQLException ex) {
					throw new IllegalStateException(ex);
				}
				return List.of();
			});
			flush.step();
			assertThat(this.outbox.all()).extracting((row) -> row.payload().id()).containsExactly("late");
		}
	}

	@Test
	void onlyOneEmptiesTheTable() throws SQLException {
		this.outbox.enqueue("1");
		try (Connection other = this.outbox.dataSource.getConnection()) {
			other.setAutoCommit(false);
			other.createStatement().executeQuery("select taken from lowkiq_outbox_lock for update").next();
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
		this.outbox.enqueueInto(List.of("mails"), "mail");
		this.outbox.enqueueInto(List.of("shipments"), "shipment");
		this.outbox.flushAll();
		assertThat(this.outbox.target.ids()).containsExactlyInAnyOrder("mail", "shipment");
		assertThat(this.outbox.rows()).isEqualTo(25);
		assertThat(this.outbox.flush.waiting()).containsExactly(Map.entry("queue 'orders'", "No queue 'orders'"));
		int calls = this.outbox.target.calls();
		this.outbox.flushAll();
		assertThat(this.outbox.target.calls()).isEqualTo(calls);
		this.outbox.retry();
		assertThat(this.outbox.target.calls()).isGreaterThan(calls);
		assertThat(output.toString().split("rows of queue 'orders'", -1)).hasSize(2);
		this.outbox.recover();
		assertThat(this.outbox.target.ids()).hasSize(27);
		assertThat(this.outbox.flush.waiting()).isEmpty();
		assertThat(output).contains("are being sent again");
	}

	@Test
	void aShardThatDoesNotRespondWaitsAloneAndNothingIsSentTwice() {
		this.outbox.target.refusesShardOf("a", new StoreUnreachableException("A master is away", null));
		this.outbox.send("a", "b", "e", "c");
		assertThat(this.outbox.target.ids()).containsExactly("b", "c");
		assertThat(this.outbox.flush.waiting()).containsOnlyKeys("shard 1 of queue 'orders'");
		// More than a batch of it doesn't hide the others
		this.outbox.enqueue(IntStream.range(0, 25).mapToObj((i) -> "a" + i).toArray(String[]::new));
		this.outbox.send("b", "f");
		assertThat(this.outbox.target.ids()).containsExactly("b", "c", "b", "f");
		assertThat(this.outbox.rows()).isEqualTo(27);
		this.outbox.recover();
		assertThat(this.outbox.target.ids()).hasSize(31).contains("a", "e", "a24");
		assertThat(this.outbox.rows()).isZero();
		assertThat(this.outbox.flush.waiting()).isEmpty();
	}

	@Test
	void theRowsOfAShardThatWaitsKeepTheirOrder() {
		double first = this.outbox.nextNumber();
		this.outbox.target.refusesShardOf("a", new StoreUnreachableException("A master is away", null));
		this.outbox.send("a", "b");
		this.outbox.target.works();
		this.outbox.send("a", "b");
		assertThat(this.outbox.target.ids()).containsExactly("b", "b");
		this.outbox.retry();
		assertThat(this.outbox.target.payloads()
			.stream()
			.filter((payload) -> payload.id().equals("a"))
			.map(NewPayload::score)).containsExactly(first, first + 2);
	}

	@Test
	void anIdThatIsRefusedWaitsAloneInItsShard() {
		this.outbox.target.refusesId("a");
		this.outbox.send("a", "b", "e", "a", "i");
		assertThat(this.outbox.target.ids()).containsExactlyInAnyOrder("b", "e", "i");
		assertThat(this.outbox.flush.waiting()).containsExactly(Map.entry("id 'a' of queue 'orders'", "WRONGTYPE"));
		this.outbox.send("e", "a");
		assertThat(this.outbox.target.ids()).containsExactlyInAnyOrder("b", "e", "i", "e");
		this.outbox.recover();
		assertThat(this.outbox.target.ids().subList(4, 7)).containsExactly("a", "a", "a");
	}

	@Test
	void aShardThatRefusesAllItsIdsWaitsAsAWhole() {
		this.outbox.target.refusesShardOf("a", new StoreException("MISCONF", null));
		this.outbox.send("a", "b", "e");
		assertThat(this.outbox.target.ids()).containsExactly("b");
		assertThat(this.outbox.flush.waiting()).containsOnlyKeys("shard 1 of queue 'orders'");
	}

	@Test
	void idsOfARefusedShardAreTriedOneByOneUntilTheStoreIsSilent() {
		this.outbox.target.refusesId("a");
		this.outbox.target.watch((queue, payloads) -> {
			if (this.outbox.target.calls() == 2) {
				this.outbox.target.away();
			}
		});
		this.outbox.enqueue("a", "e", "i", "m", "q");
		assertThatExceptionOfType(StoreUnreachableException.class).isThrownBy(this.outbox::flushAll);
		assertThat(this.outbox.target.calls()).isEqualTo(2);
		this.outbox.target.watch((queue, payloads) -> {
		});
		this.outbox.target.works();
		this.outbox.flushAll();
		assertThat(this.outbox.target.ids()).containsExactly("a", "e", "i", "m", "q");
	}

	@Test
	void manyRowsOfASilentShardDoNotHideOthersOfTheirQueue() {
		this.outbox.target.refusesShardOf("a", new StoreUnreachableException("A master is away", null));
		this.outbox.jdbc.update("""
				insert into lowkiq_outbox (prefix, queue, job_id, payload, delay)
				select 'lowkiq', 'orders', 'a' || mod(x, 100), X'31', 0 from system_range(1, 25000)""");
		this.outbox.send("b");
		assertThat(this.outbox.target.ids()).containsExactly("b");
		assertThat(this.outbox.target.calls()).isEqualTo(2);
	}

	@Test
	void aShardOfANewerVersionWaitsAsAWholeAndNoIdIsTriedByItself() {
		this.outbox.target.refusesShardOf("a", NewerVersionException.ofShard("orders", 1, new IllegalStateException()));
		this.outbox.send("a", "b", "e");
		assertThat(this.outbox.target.ids()).containsExactly("b");
		assertThat(this.outbox.target.calls()).isOne();
		assertThat(this.outbox.flush.waiting()).containsOnlyKeys("shard 1 of queue 'orders'");
		assertThat(this.outbox.table.backlog().aside()).isZero();
		this.outbox.recover();
		assertThat(this.outbox.target.ids()).startsWith("b").containsExactlyInAnyOrder("b", "a", "e");
	}

	@Test
	void aRowThatNoStoreTakesIsPutAside(CapturedOutput output) {
		this.outbox.enqueue("a");
		this.outbox.jdbc.update("update lowkiq_outbox set job_id = ?", "é".repeat(1_000));
		String longest = "x".repeat(1_024);
		this.outbox.send(longest, "b");
		assertThat(this.outbox.target.ids()).containsExactly(longest, "b");
		assertThat(this.outbox.rows()).isZero();
		assertThat(this.outbox.table.backlog().aside()).isOne();
		assertThat(this.outbox.jdbc.queryForObject("select reason from lowkiq_outbox_aside", String.class))
			.contains("2000 bytes long");
		assertThat(output).contains("is put aside");
	}

	@Test
	void laterRowsOfAnIdWaitForTheOneThatWasPutAside() {
		this.outbox.enqueue("a");
		this.outbox.putFirstAside("a reason");
		this.outbox.send("a", "e", "a");
		assertThat(this.outbox.target.ids()).containsExactly("e");
		assertThat(this.outbox.rows()).isEqualTo(2);
		this.outbox.jdbc.update("delete from lowkiq_outbox_aside where put_aside = true");
		this.outbox.retry();
		assertThat(this.outbox.target.ids()).containsExactly("e", "a", "a");
	}

	@Test
	void rowsOfOtherKeyPrefixesAreLeftAlone() {
		OutboxTable other = new OutboxTable(this.outbox.dataSource, "other", () -> this.outbox.now);
		other.prepare();
		OutboxFixture.enqueuer(this.outbox.dataSource, other, () -> {
		}).enqueue("orders", OutboxFixture.payloads("1"));
		this.outbox.flushAll();
		assertThat(this.outbox.target.ids()).isEmpty();
		assertThat(this.outbox.rows()).isZero();
		assertThat(other.backlog().rows()).isOne();
	}

	@Test
	void aBusyQueueDoesNotHoldUpOthers() {
		this.outbox.enqueue(IntStream.range(0, 25).mapToObj(Integer::toString).toArray(String[]::new));
		this.outbox.enqueueInto(List.of("shipments"), "shipment");
		this.outbox.flush.step();
		this.outbox.flush.step();
		assertThat(this.outbox.target.ids()).contains("shipment");
		this.outbox.flushAll();
		assertThat(this.outbox.target.ids()).hasSize(26);
	}

	@Test
	void nothingIsSentThatCanNotBeDeleted() {
		this.outbox.enqueue("1");
		this.outbox.jdbc.execute("create user if not exists reader password ''");
		this.outbox.jdbc.execute("grant select, insert on lowkiq_outbox to reader");
		this.outbox.jdbc.execute("grant all on lowkiq_outbox_aside to reader");
		this.outbox.jdbc.execute("grant all on lowkiq_outbox_lock to reader");
		String url = ((DriverManagerDataSource) this.outbox.dataSource).getUrl();
		DriverManagerDataSource reader = new DriverManagerDataSource(url.substring(0, url.indexOf(';')), "reader", "");
		OutboxTable table = new OutboxTable(reader, "lowkiq", () -> this.outbox.now);
		OutboxFlush flush = OutboxFixture.flush(reader, table, this.outbox.target.asTarget(), this.outbox.nanos::get,
				new OutboxFlush.Settings(10, Duration.ofSeconds(5)));
		assertThatExceptionOfType(DataAccessException.class).isThrownBy(flush::step);
		assertThatExceptionOfType(DataAccessException.class).isThrownBy(table::prepare);
		assertThat(this.outbox.target.ids()).isEmpty();
		assertThat(this.outbox.rows()).isOne();
	}

	@Test
	void aStepIsProgressThatTheOtherProcessesSee() {
		long steps = this.outbox.table.lock().taken();
		this.outbox.enqueue("1");
		this.outbox.flush.step();
		assertThat(this.outbox.table.lock().taken()).isEqualTo(steps + 1);
		this.outbox.target.away();
		this.outbox.enqueue("2");
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> this.outbox.flush.step());
		assertThat(this.outbox.table.lock().taken()).isEqualTo(steps + 2);
	}

	@Test
	void everyColumnThatIsMissingIsFoundAtTheStart() {
		columns().forEach((column) -> {
			String table = column.substring(0, column.indexOf('.'));
			String name = column.substring(column.indexOf('.') + 1);
			this.outbox.jdbc.execute("alter table %s alter column %s rename to other".formatted(table, name));
			assertThatExceptionOfType(DataAccessException.class).as(column)
				.isThrownBy(() -> checkAtStart(this.outbox.dataSource))
				.havingRootCause()
				.withMessageContaining("Column \"%s\" not found".formatted(name.toUpperCase(Locale.ROOT)));
			this.outbox.jdbc.execute("alter table %s alter column other rename to %s".formatted(table, name));
		});
		checkAtStart(this.outbox.dataSource);
	}

	@Test
	void everyRightThatIsMissingIsFoundAtTheStart() {
		this.outbox.jdbc.execute("create user writer password ''");
		List<String> rights = Stream
			.of("lowkiq_outbox: select insert delete", "lowkiq_outbox_aside: select insert delete",
					"lowkiq_outbox_lock: select insert update", "lowkiq_outbox_sent: select insert delete")
			.flatMap((table) -> Stream.of(table.split(": ")[1].split(" "))
				.map((right) -> "%s on %s".formatted(right, table.split(":")[0])))
			.toList();
		rights.forEach((right) -> this.outbox.jdbc.execute("grant %s to writer".formatted(right)));
		String url = ((DriverManagerDataSource) this.outbox.dataSource).getUrl();
		DataSource writer = new DriverManagerDataSource(url.substring(0, url.indexOf(';')), "writer", "");
		checkAtStart(writer);
		rights.forEach((right) -> {
			this.outbox.jdbc.execute("revoke %s from writer".formatted(right));
			assertThatExceptionOfType(DataAccessException.class).as(right)
				.isThrownBy(() -> checkAtStart(writer))
				.havingRootCause()
				.withMessageContaining("rights");
			this.outbox.jdbc.execute("grant %s to writer".formatted(right));
		});
		checkAtStart(writer);
	}

	private void checkAtStart(DataSource dataSource) {
		new OutboxTable(dataSource, "lowkiq", () -> this.outbox.now).prepare();
	}

	@Test
	void theCheckAtTheStartChangesNoRow() {
		this.outbox.jdbc.update("""
				insert into lowkiq_outbox (prefix, queue, job_id, payload, delay)
				values ('lowkiq', '', 'a', X'31', 0)""");
		checkAtStart(this.outbox.dataSource);
		assertThat(this.outbox.rows()).isOne();
	}

	@Test
	void tablesOfANewerVersionAreLeftAloneWhileJobsAreWritten() {
		this.outbox.target.refusesId("c");
		this.outbox.enqueue("a");
		this.outbox.putFirstAside("a reason");
		this.outbox.send("a", "b", "c");
		assertThat(this.outbox.target.ids()).containsExactly("b");
		this.outbox.jdbc.execute("alter table lowkiq_outbox add column meaning varchar default 'new'");
		this.outbox.jdbc.update("update lowkiq_outbox_lock set format = 2");
		this.outbox.target.works();
		this.outbox.nanos.addAndGet(Duration.ofMinutes(1).toNanos());
		this.outbox.enqueue("d");
		// Also by a process that has just started
		checkAtStart(this.outbox.dataSource);
		for (OutboxFlush flush : List.of(this.outbox.flush, this.outbox.flush(this.outbox.target::enqueue))) {
			assertThatExceptionOfType(NewerVersionException.class).isThrownBy(flush::step)
				.withMessageContaining("to format 2, and this version knows format 1")
				.withMessageContaining("docs/transactions.md");
		}
		OperatedOutbox operated = new OperatedOutbox(this.outbox.dataSource, this.outbox.table, this.outbox.flush,
				this.outbox.flusher);
		long aside = operated.status(1).jobsAside().get(0).sequence();
		assertThatExceptionOfType(NewerVersionException.class).isThrownBy(() -> operated.sendAgain(aside));
		assertThat(this.outbox.target.ids()).containsExactly("b");
		assertThat(this.outbox.jdbc.queryForList("select job_id from lowkiq_outbox", String.class))
			.containsExactly("d");
		Health health = new OutboxHealthIndicator(this.outbox.table, this.outbox.flush, this.outbox.flusher).health();
		assertThat(health.getStatus()).isEqualTo(Status.DOWN);
		assertThat(health.getDetails()).containsKey("newer").containsEntry("rows", 3L);
		this.outbox.jdbc.update("update lowkiq_outbox_lock set format = 1");
		assertThat(operated.sendAgain(aside)).isTrue();
		this.outbox.flushAll();
		assertThat(this.outbox.target.ids()).containsExactlyInAnyOrder("b", "a", "a", "c", "d");
		assertThat(new OutboxHealthIndicator(this.outbox.table, this.outbox.flush, this.outbox.flusher).health()
			.getStatus()).isEqualTo(Status.UP);
	}

	@Test
	void aColumnOfTheUsersOwnIsNoneOfANewerVersion() {
		this.outbox.jdbc.execute("alter table lowkiq_outbox add column tenant varchar default 'one' not null");
		this.outbox.jdbc.execute("alter table lowkiq_outbox_aside add column tenant varchar");
		checkAtStart(this.outbox.dataSource);
		this.outbox.target.refusesId("a");
		this.outbox.send("a", "b");
		this.outbox.recover();
		assertThat(this.outbox.target.ids()).containsExactly("b", "a");
	}

	/** An older version would send rows without what is new in them. */
	@Test
	void whoeverChangesAColumnRaisesTheFormat() {
		assertThat(OutboxLock.FORMAT).isEqualTo(1);
		assertThat(this.outbox.jdbc.queryForObject("select format from lowkiq_outbox_lock", Integer.class))
			.isEqualTo(OutboxLock.FORMAT);
		assertThat(columns())
			.as("Raise the format, in OutboxLock, in the schemas' default and in the statements for upgrading")
			.containsExactlyElementsOf(Stream.of(
					"lowkiq_outbox: seq prefix queue job_id payload score perform_at delay created_at",
					"lowkiq_outbox_aside: seq prefix queue job_id payload score perform_at delay created_at id_hash put_aside reason",
					"lowkiq_outbox_lock: prefix taken format highest back_to back_from back_at stream asked kept_for resent resent_at clock",
					"lowkiq_outbox_sent: prefix queue shard call_number call_token seq job_id payload score perform_at delay created_at sent_at")
				.flatMap((table) -> Stream.of(table.split(": ")[1].split(" "))
					.map((column) -> table.split(":")[0] + "." + column))
				.toList());
	}

	private List<String> columns() {
		return this.outbox.jdbc.queryForList("""
				select table_name || '.' || column_name from information_schema.columns
				where table_name like 'LOWKIQ%' order by table_name, ordinal_position""", String.class)
			.stream()
			.map((name) -> name.toLowerCase(Locale.ROOT))
			.toList();
	}

	@Test
	void theLockIsMadeAgain() {
		this.outbox.jdbc.update("delete from lowkiq_outbox_lock");
		this.outbox.send("1");
		assertThat(this.outbox.target.ids()).containsExactly("1");
	}

}
