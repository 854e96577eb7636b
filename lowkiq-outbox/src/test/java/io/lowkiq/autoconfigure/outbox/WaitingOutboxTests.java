package io.lowkiq.autoconfigure.outbox;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lowkiq.StoreException;
import io.lowkiq.StoreUnreachableException;
import io.lowkiq.autoconfigure.outbox.AsideTable.Entry;
import io.lowkiq.store.ShardRefusal;
import io.lowkiq.store.job.NewPayload;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.ResultSetExtractor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** Rows that wait beside the table. */
class WaitingOutboxTests {

	@AutoClose
	private final OutboxFixture outbox = new OutboxFixture();

	@Test
	void whatWaitsIsNotInTheWayOfOthers() {
		away("a");
		this.outbox.enqueue(many("a", 35));
		this.outbox.send("b");
		this.outbox.flushAll();
		assertThat(count("lowkiq_outbox")).isZero();
		assertThat(count("lowkiq_outbox_aside")).isEqualTo(35);
		assertThat(this.outbox.rows()).isEqualTo(35);
		assertThat(this.outbox.table.backlog().aside()).isZero();
		assertThat(this.outbox.table.aside().unsent(10)).isEmpty();
	}

	@Test
	void manyRowsAreMovedAtOnceAndABatchIsSent() {
		away("a");
		this.outbox.send("b", "a");
		this.outbox.enqueue(many("a", 30));
		this.outbox.enqueue(many("b", 25));
		List<Integer> sizes = new ArrayList<>();
		this.outbox.target.watch((queue, payloads) -> sizes.add(payloads.size()));
		this.outbox.flushAll();
		assertThat(sizes).containsExactly(10, 10, 5);
		assertThat(this.outbox.target.ids()).hasSize(1 + 25);
		assertThat(count("lowkiq_outbox_aside")).isEqualTo(31);
		assertThat(count("lowkiq_outbox")).isZero();
	}

	@Test
	void newRowsOfAnIdWaitUntilItsLastOlderRowWasSent() {
		away("a");
		this.outbox.send("b", "a", "a");
		this.outbox.target.works();
		// A process that knows nothing of what waits
		OutboxFlush other = this.outbox.flush(this.outbox.target::enqueue);
		this.outbox.enqueue("a", "c");
		while (other.step()) {
			this.outbox.enqueue("c");
		}
		assertThat(scores("a")).hasSize(3).isSorted();
		assertThat(count("lowkiq_outbox_aside")).isZero();
	}

	@Test
	void aStepSendsABatchOfWhatWaitsAndNewRowsGoOnMeanwhile() {
		away("a");
		this.outbox.enqueue("b");
		this.outbox.send(Stream.generate(() -> "a").limit(95).toArray(String[]::new));
		this.outbox.target.works();
		pause();
		int before = this.outbox.target.ids().size();
		for (int i = 1; i <= 8; i++) {
			this.outbox.enqueue("a", "b");
			assertThat(this.outbox.flush.step()).isTrue();
			assertThat(this.outbox.target.ids().size() - before).isBetween(i, i * 12);
			assertThat(this.outbox.target.ids().stream().filter("b"::equals)).hasSize(1 + i);
		}
		this.outbox.flushAll();
		assertThat(scores("a")).hasSize(95 + 8).isSorted();
	}

	@Test
	void aPartIsToldToWaitUntilNothingOfItIsAside() {
		away("a");
		this.outbox.enqueue("b");
		this.outbox.send(many("a", 35));
		this.outbox.target.works();
		pause();
		while (this.outbox.flush.step() && count("lowkiq_outbox_aside") > 0) {
			assertThat(this.outbox.flush.waiting()).containsOnlyKeys("shard 1 of queue 'orders'");
		}
		this.outbox.flushAll();
		assertThat(this.outbox.flush.waiting()).isEmpty();
	}

	@Test
	void aPartThatHasFailedIsTriedWithOneRow() {
		this.outbox.target.refusesId("a");
		this.outbox.enqueue("e");
		this.outbox.send(Stream.generate(() -> "a").limit(8).toArray(String[]::new));
		List<Integer> sizes = new ArrayList<>();
		this.outbox.target.watch((queue, payloads) -> sizes.add(payloads.size()));
		this.outbox.retry();
		assertThat(sizes).isNotEmpty().containsOnly(1);
	}

	@Test
	void aLateRowWithALowerSequenceIsSentBeforeTheRowsThatWait() throws SQLException {
		away("a");
		try (Connection late = this.outbox.dataSource.getConnection()) {
			late.setAutoCommit(false);
			this.outbox.table.insert(late, Map.of("orders", OutboxFixture.payloads("a")));
			this.outbox.send("a", "a", "b");
			late.commit();
		}
		this.outbox.flushAll();
		this.outbox.recover();
		assertThat(scores("a")).hasSize(3).isSorted();
	}

	@Test
	void rowsFindTheirShardWhenItsNumberIsAnother() {
		away("a");
		this.outbox.send("a", "b", "e", "a");
		this.outbox.target.works();
		this.outbox.target.shards(3);
		this.outbox.enqueue("a", "e");
		this.outbox.retry();
		assertThat(scores("a")).hasSize(3).isSorted();
		assertThat(scores("e")).hasSize(2).isSorted();
	}

	@Test
	void manyQueuesThatAreUnknownHoldUpNobody() {
		this.outbox.target.knowsOnly("orders");
		for (int i = 0; i < 100; i++) {
			this.outbox.enqueuer.enqueue("tenant-" + i, OutboxFixture.payloads("1"));
		}
		this.outbox.enqueue("b");
		flush(1_000).step();
		assertThat(this.outbox.target.calls()).isLessThan(100);
		this.outbox.flushAll();
		int calls = this.outbox.target.calls();
		this.outbox.send("b");
		assertThat(this.outbox.target.calls()).isEqualTo(calls + 1);
		assertThat(count("lowkiq_outbox")).isZero();
		this.outbox.recover();
		assertThat(this.outbox.target.ids()).hasSize(102);
	}

	@Test
	void manyIdsThatWerePutAsideAreFoundForTheIdsOfABatch() {
		this.outbox.enqueue(many("a", 30));
		for (int i = 0; i < 30; i++) {
			this.outbox.putFirstAside("a reason");
		}
		this.outbox.send("a7", "b", "a7", "a30", "a8");
		assertThat(this.outbox.target.ids()).containsExactly("b", "a30");
		assertThat(this.outbox.table.backlog().aside()).isEqualTo(30);
		assertThat(this.outbox.rows()).isEqualTo(3);
	}

	@Test
	void anIdWithManyRowsAsideHidesNoOther() {
		this.outbox.enqueue("a", "e");
		this.outbox.putFirstAside("a reason");
		this.outbox.putFirstAside("a reason");
		this.outbox.send(Stream.generate(() -> "a").limit(50).toArray(String[]::new));
		assertThat(this.outbox.table.aside().idsAmong("orders", List.of("e", "a", "b"))).containsExactlyInAnyOrder("a",
				"e");
	}

	@Test
	void whenAllIsSilentRowsStayWhereTheyAre() {
		this.outbox.target.away();
		this.outbox.enqueue(many("a", 35));
		for (int i = 0; i < 3; i++) {
			assertThat(silence()).isInstanceOf(StoreUnreachableException.class);
		}
		assertThat(count("lowkiq_outbox")).isEqualTo(35);
		assertThat(count("lowkiq_outbox_aside")).isZero();
		this.outbox.target.works();
		this.outbox.flushAll();
		assertThat(this.outbox.target.ids()).hasSize(35);
	}

	@Test
	void longQueuesOfSeveralShardsEndTheirStepsTogetherIfAllIsSilent() {
		OutboxFlush large = flush(1_000);
		insert("billing", "a", 15_000);
		insert("orders", "a", 1_000);
		insert("orders", "b", 1_000);
		insert("orders", "c", 13_000);
		this.outbox.target.away();
		assertThat(problemWithin(large, 20)).isInstanceOf(StoreUnreachableException.class);
		assertThat(problemWithin(large, 20)).isInstanceOf(StoreUnreachableException.class);
		this.outbox.target.works();
		assertThat(problemWithin(large, 100)).isNull();
		assertThat(this.outbox.rows()).isZero();
		assertThat(scores("a")).hasSize(16_000);
		assertThat(scores("b")).hasSize(1_000).isSorted();
		assertThat(scores("c")).hasSize(13_000).isSorted();
	}

	@Test
	void whatWasPassedOverInOneSilenceIsSentFirstAfterTheNext() {
		insert("billing", "a", 10);
		insert("orders", "a", 10_005);
		Long first = this.outbox.jdbc.queryForObject("select min(seq) from lowkiq_outbox where queue = 'orders'",
				Long.class);
		insert("parcels", "a", 5);
		this.outbox.target.away();
		// The first rows of orders were passed over when the third queue is silent, too
		assertThat(problemWithin(this.outbox.flush, 5)).isInstanceOf(StoreUnreachableException.class);
		insert("orders", "b", 1);
		this.outbox.jdbc.update("""
				insert into lowkiq_outbox_aside (%1$s, prefix, id_hash, put_aside)
				select %1$s, prefix, %2$s, false from lowkiq_outbox where job_id = 'b'""".formatted(OutboxSql.COLUMNS,
				AsideTable.hash("b")));
		this.outbox.jdbc.update("delete from lowkiq_outbox where job_id = 'b'");
		assertThat(this.outbox.flush.step()).isTrue();
		this.outbox.target.works();
		List<Double> sent = new ArrayList<>();
		this.outbox.target.watch((queue, payloads) -> payloads.stream()
			.filter((payload) -> queue.equals("orders") && payload.id().equals("a"))
			.map(NewPayload::score)
			.forEach(sent::add));
		while (sent.isEmpty()) {
			this.outbox.flush.step();
		}
		assertThat(sent.get(0)).isEqualTo((first != null) ? first.doubleValue() : 0);
	}

	@Test
	void aRowThatWasCommittedLateIsNotOvertakenWhileOthersArePassedOver() {
		insert("orders", "b", 1);
		// Not committed yet
		this.outbox.jdbc.update("update lowkiq_outbox set prefix = 'not yet'");
		insert("orders", "a", 11_001);
		this.outbox.target.refusesShardOf("a", new StoreUnreachableException("A master is away", null));
		OutboxFlush large = flush(1_000);
		assertThat(large.step()).isTrue();
		assertThat(large.step()).isTrue();
		this.outbox.jdbc.update("update lowkiq_outbox set prefix = 'lowkiq' where prefix = 'not yet'");
		insert("orders", "b", 1);
		this.outbox.target.works();
		for (int step = 0; large.step(); step++) {
			assertThat(step).isLessThan(100);
		}
		assertThat(scores("b")).hasSize(2).isSorted();
	}

	@Test
	void noFurtherShardIsTriedAgainAfterOneThatDoesNotRespond() {
		this.outbox.target.refusesShardOf("a", new StoreException("WRONGTYPE", null));
		this.outbox.target.refusesShardOf("b", new StoreException("WRONGTYPE", null));
		this.outbox.target.watch((queue, payloads) -> {
			if (this.outbox.target.calls() > 1) {
				this.outbox.target.away();
			}
		});
		this.outbox.enqueue("a1", "a2", "b1", "b2");
		this.outbox.flush.step();
		assertThat(this.outbox.target.calls()).isEqualTo(2);
	}

	@Test
	void aBatchThatIsCutDoesNotCostAQueueItsTurn() {
		this.outbox.target.refusesShardOf("a", new StoreUnreachableException("A master is away", null));
		insert("billing", "a", 1);
		insert("billing", "b", 1);
		this.outbox.flushAll();
		insert("billing", "a", 30);
		insert("orders", "b", 20);
		insert("parcels", "b", 1);
		List<String> queues = new ArrayList<>();
		this.outbox.target.watch((queue, payloads) -> queues.add(queue));
		while (queues.size() < 2) {
			this.outbox.flush.step();
		}
		assertThat(queues).startsWith("orders", "parcels");
	}

	@Test
	void aFullBatchReadsNoFurtherRows() {
		insert("orders", "a", 1);
		this.outbox.putFirstAside("a reason");
		int[] queries = { 0 };
		JdbcTemplate counting = new JdbcTemplate(this.outbox.dataSource) {

			@Override
			public <T extends @Nullable Object> T query(String sql, ResultSetExtractor<T> extractor,
					@Nullable Object @Nullable ... arguments) {
				queries[0]++;
				return super.query(sql, extractor, arguments);
			}

		};
		Entry entry = this.outbox.table.aside().entries("orders", 0, 1).get(0);
		OutboxBatch batch = new OutboxBatch(1);
		new AsideTable(counting, counting, "lowkiq").read(Collections.nCopies(2_500, entry), batch);
		assertThat(batch.size()).isEqualTo(1);
		assertThat(queries[0]).isEqualTo(1);
	}

	@Test
	void aDeathBetweenSendAndCommitLosesNothingThatWaits() {
		away("a");
		this.outbox.send("b", "a", "a");
		this.outbox.target.works();
		OutboxFlush dying = this.outbox.flush((queue, payloads) -> {
			this.outbox.target.enqueue(queue, payloads);
			throw new IllegalStateException("The process dies");
		});
		assertThatIllegalStateException().isThrownBy(dying::step);
		assertThat(count("lowkiq_outbox_aside")).isEqualTo(2);
		this.outbox.flush(this.outbox.target::enqueue).step();
		assertThat(scores("a").subList(2, 4)).isSorted();
		assertThat(this.outbox.rows()).isZero();
	}

	/**
	 * Two processes, parts that fail and come back, deaths, transactions that commit out
	 * of order, rows put aside, taken back and dropped.
	 */
	@Test
	void noRowOvertakesAnOlderOneOfItsIdWhateverHappens() throws SQLException {
		for (long seed = 1; seed <= 12; seed++) {
			try (OutboxFixture fixture = new OutboxFixture()) {
				new Model(fixture, seed).run();
			}
		}
	}

	private RuntimeException silence() {
		try {
			this.outbox.flushAll();
			throw new AssertionError("Something was sent");
		}
		catch (StoreException ex) {
			return ex;
		}
	}

	/** Without an exception, null. */
	private static @Nullable RuntimeException problemWithin(OutboxFlush flush, int steps) {
		try {
			int step = 0;
			while (flush.step()) {
				assertThat(++step).as("steps").isLessThan(steps);
			}
			return null;
		}
		catch (StoreException ex) {
			return ex;
		}
	}

	private OutboxFlush flush(int batchSize) {
		return OutboxFixture.flush(this.outbox.dataSource, this.outbox.table, this.outbox.target.asTarget(),
				this.outbox.nanos::get, new OutboxFlush.Settings(batchSize, Duration.ofSeconds(5)));
	}

	private void insert(String queue, String id, int count) {
		this.outbox.enqueuer.enqueue(queue,
				OutboxFixture.payloads(Collections.nCopies(count, id).toArray(String[]::new)));
	}

	private void away(String id) {
		this.outbox.target.refusesShardOf(id, new StoreUnreachableException("A master is away", null));
	}

	private void pause() {
		this.outbox.nanos.addAndGet(Duration.ofMinutes(1).toNanos());
	}

	private static String[] many(String id, int count) {
		return IntStream.range(0, count).mapToObj((i) -> id + i).toArray(String[]::new);
	}

	private long count(String table) {
		Long rows = this.outbox.jdbc.queryForObject("select count(*) from " + table, Long.class);
		return (rows != null) ? rows : 0;
	}

	private List<Double> scores(String id) {
		return this.outbox.target.payloads()
			.stream()
			.filter((payload) -> payload.id().equals(id))
			.map(NewPayload::score)
			.toList();
	}

	/** Random operations, and what must hold. */
	private static final class Model {

		private static final List<String> IDS = List.of("a", "b", "c", "e", "f", "g", "i");

		private final OutboxFixture outbox;

		private final Random random;

		private final long seed;

		private final List<Connection> open = new ArrayList<>();

		private final List<OutboxFlush> processes = new ArrayList<>();

		/** By id: the rows that are committed and must be sent, with the ids first. */
		private final Map<String, Double> lastSent = new HashMap<>();

		private boolean isDying;

		Model(OutboxFixture outbox, long seed) {
			this.outbox = outbox;
			this.random = new Random(seed);
			this.seed = seed;
		}

		void run() throws SQLException {
			this.outbox.target.watch(this::check);
			this.processes.add(process());
			this.processes.add(process());
			for (int i = 0; i < 250; i++) {
				operation();
			}
			this.outbox.target.works();
			this.isDying = false;
			for (Connection connection : this.open) {
				connection.commit();
				connection.close();
			}
			this.outbox.table.aside().unsent(1_000).forEach((job) -> this.outbox.table.aside().drop(job.sequence()));
			for (int i = 0; i < 3; i++) {
				this.outbox.nanos.addAndGet(Duration.ofMinutes(10).toNanos());
				while (this.processes.get(0).step()) {
					// The next step
				}
			}
			assertThat(this.outbox.rows()).as("seed %s", this.seed).isZero();
			assertThat(this.lastSent).isNotEmpty();
		}

		private OutboxFlush process() {
			return this.outbox.flush((queue, payloads) -> {
				List<ShardRefusal> not = this.outbox.target.enqueue(queue, payloads);
				if (this.isDying) {
					throw new IllegalStateException("The process dies");
				}
				return not;
			});
		}

		private void operation() throws SQLException {
			switch (this.random.nextInt(12)) {
				case 0, 1, 2 -> this.outbox.enqueue(some());
				case 3 -> insertLate();
				case 4 -> this.outbox.target.refusesShardOf(id(), new StoreUnreachableException("Away", null));
				case 5 -> this.outbox.target.refusesId(id());
				case 6 -> this.outbox.target.works();
				case 7 -> this.outbox.nanos.addAndGet(Duration.ofSeconds(this.random.nextInt(20)).toNanos());
				case 8 -> changeAside();
				default -> step();
			}
		}

		private String id() {
			return IDS.get(this.random.nextInt(IDS.size()));
		}

		private String[] some() {
			return Stream.generate(this::id).limit(1 + this.random.nextInt(15)).toArray(String[]::new);
		}

		private void insertLate() throws SQLException {
			if (this.open.size() > 2) {
				try (Connection first = this.open.remove(0)) {
					first.commit();
				}
			}
			Connection connection = this.outbox.dataSource.getConnection();
			connection.setAutoCommit(false);
			this.outbox.table.insert(connection, Map.of("orders", OutboxFixture.payloads(some())));
			this.open.add(connection);
		}

		private void changeAside() {
			OperatedOutbox operated = new OperatedOutbox(this.outbox.dataSource, this.outbox.table,
					this.processes.get(0), this.outbox.flusher);
			List<OutboxRow> rows = this.outbox.all();
			operated.status(1).jobsAside().forEach((job) -> {
				if (this.random.nextBoolean()) {
					operated.sendAgain(job.sequence());
				}
				else {
					operated.drop(job.sequence());
				}
			});
			if (operated.status(0).aside() == 0 && !rows.isEmpty()) {
				this.outbox.putFirstAside("a reason");
			}
		}

		private void step() {
			int number = this.random.nextInt(2);
			this.isDying = this.random.nextInt(10) == 0;
			try {
				this.processes.get(number).step();
			}
			catch (StoreException ex) {
				// All that was tried is silent
			}
			catch (IllegalStateException ex) {
				this.processes.set(number, process());
			}
			this.isDying = false;
		}

		/** No committed row of an id is older than what is sent, but in the same call. */
		private void check(String queue, List<NewPayload> payloads) {
			Map<String, Double> first = new HashMap<>();
			for (NewPayload payload : payloads) {
				double score = (payload.score() != null) ? payload.score() : 0;
				Double before = first.put(payload.id(), score);
				assertThat(score).as("seed %s", this.seed).isGreaterThan((before != null) ? before : 0);
				Double sent = this.lastSent.get(payload.id());
				this.lastSent.put(payload.id(), (sent != null) ? Math.max(sent, score) : score);
			}
			for (NewPayload payload : payloads) {
				assertThat(olderThan(payload, payloads)).as("seed %s, %s", this.seed, payload.id()).isEmpty();
			}
		}

		/**
		 * By another connection, to which the rows that are being sent are still there.
		 */
		private List<Long> olderThan(NewPayload payload, List<NewPayload> payloads) {
			double score = (payload.score() != null) ? payload.score() : 0;
			List<Double> same = payloads.stream()
				.filter((other) -> other.id().equals(payload.id()))
				.map(NewPayload::score)
				.toList();
			return this.outbox.jdbc
				.queryForList("""
						select seq from lowkiq_outbox where job_id = ? and seq < ?
						union all select seq from lowkiq_outbox_aside where job_id = ? and seq < ?""", Long.class,
						payload.id(), (long) score, payload.id(), (long) score)
				.stream()
				.filter((sequence) -> !same.contains((double) sequence))
				.toList();
		}

	}

}
