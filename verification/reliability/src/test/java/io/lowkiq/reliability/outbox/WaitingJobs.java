package io.lowkiq.reliability.outbox;

import java.time.Duration;
import java.util.BitSet;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import org.awaitility.Awaitility;

import org.springframework.jdbc.core.JdbcTemplate;

import io.lowkiq.RegisteredWorker;
import io.lowkiq.Worker;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Very many rows of the outbox for a queue that nobody serves for a long time, and what
 * becomes of them. Thread-safe.
 */
final class WaitingJobs {

	static final String QUEUE = "waiting";

	private static final Duration LONG = Duration.ofMinutes(10);

	private static final int IDS = 1_000;

	private final int count;

	/** By id: which versions were performed. */
	private final Map<String, BitSet> performed = new ConcurrentHashMap<>();

	private final AtomicInteger outOfOrder = new AtomicInteger();

	/** No rows yet. */
	WaitingJobs(int count) {
		this.count = count;
	}

	RegisteredWorker worker() {
		Worker<OrderChange> worker = (id, changes) -> {
			BitSet versions = this.performed.computeIfAbsent(id, (key) -> new BitSet());
			synchronized (versions) {
				changes.forEach((change) -> perform(versions, (int) change.version()));
			}
		};
		return new RegisteredWorker(QUEUE, Worker.class, OrderChange.class,
				new RegisteredWorker.Settings(4, 1, 25, 1_000, 1, 0), () -> worker);
	}

	private void perform(BitSet versions, int version) {
		if (!versions.get(version) && versions.length() > version) {
			this.outOfOrder.incrementAndGet();
		}
		versions.set(version);
	}

	/** Inserts the rows, and waits until they are out of the way. */
	void insert(JdbcTemplate jdbc, TestDatabase.Product product, String prefix) {
		String rows = switch (product) {
			case POSTGRESQL ->
				"(n %% %d)::text, convert_to('{\"version\":' || n || ',\"transaction\":0}', 'UTF8'), 0 from generate_series(1, %d) n";
			case MARIADB ->
				"cast(seq %% %d as char), concat('{\"version\":', seq, ',\"transaction\":0}'), 0 from seq_1_to_%d";
			case H2 -> throw new IllegalArgumentException("No rows for " + product);
		};
		jdbc.update("insert into lowkiq_outbox (prefix, queue, job_id, payload, delay) select '%s', '%s', "
			.formatted(prefix, QUEUE) + rows.formatted(IDS, this.count));
		long begin = System.nanoTime();
		Awaitility.await("rows are moved").atMost(LONG).until(() -> count(jdbc, "lowkiq_outbox_aside") >= this.count);
		System.out.printf(Locale.ROOT, "Outbox: %d rows wait, moved in %.0f s%n", this.count,
				(System.nanoTime() - begin) / 1e9);
	}

	private static long count(JdbcTemplate jdbc, String table) {
		Long rows = jdbc.queryForObject("select count(*) from %s where queue = '%s'".formatted(table, QUEUE),
				Long.class);
		return (rows != null) ? rows : 0;
	}

	/** Waits until all were performed, and checks that each id kept its order. */
	void check() {
		Awaitility.await("jobs that waited").atMost(LONG).until(() -> performed() == this.count);
		assertThat(this.outOfOrder).hasValue(0);
		System.out.printf(Locale.ROOT, "Outbox: all %d jobs that waited are performed, each id in its order%n",
				this.count);
	}

	private long performed() {
		long all = 0;
		for (BitSet versions : this.performed.values()) {
			synchronized (versions) {
				all += versions.cardinality();
			}
		}
		return all;
	}

}
