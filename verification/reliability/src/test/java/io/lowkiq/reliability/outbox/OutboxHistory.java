package io.lowkiq.reliability.outbox;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

import org.awaitility.Awaitility;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.RowCallbackHandler;

import io.lowkiq.RegisteredWorker;
import io.lowkiq.Worker;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What was performed of the changes of orders, compared with what the database says was
 * committed. Thread-safe.
 */
final class OutboxHistory {

	private static final Duration LONG = Duration.ofMinutes(3);

	/** By order: what was delivered, one list for each perform. */
	private final Map<String, Queue<List<OrderChange>>> performs = new ConcurrentHashMap<>();

	/** Written by who holds it, read by all workers. */
	private final ReadWriteLock gate = new ReentrantReadWriteLock();

	private final Worker<OrderChange> worker = this::perform;

	private void perform(String id, List<OrderChange> changes) {
		this.gate.readLock().lock();
		try {
			this.performs.computeIfAbsent(id, (order) -> new ConcurrentLinkedQueue<>()).add(changes);
		}
		finally {
			this.gate.readLock().unlock();
		}
	}

	/** Lets nothing be performed for a while. */
	Lock hold() {
		return this.gate.writeLock();
	}

	/** How many committed changes were not performed. */
	long missing(JdbcTemplate jdbc) {
		Set<Long> performed = this.performs.values()
			.stream()
			.flatMap(Queue::stream)
			.flatMap(List::stream)
			.map(OrderChange::transaction)
			.collect(Collectors.toSet());
		return jdbc.queryForList("select transaction from changes", Long.class)
			.stream()
			.filter((transaction) -> !performed.contains(transaction))
			.count();
	}

	/** Few payloads at a time, so that what is sent again meets halves of what was. */
	RegisteredWorker worker(int shards) {
		return new RegisteredWorker(OutboxProgram.QUEUE, Worker.class, OrderChange.class,
				new RegisteredWorker.Settings(shards, 1, 25, 3, 1, 0), () -> this.worker);
	}

	/**
	 * Waits until every committed change was performed, and checks that no other was, and
	 * that the changes of an order came in the order of their commits.
	 */
	Totals check(JdbcTemplate jdbc) {
		Map<String, List<OrderChange>> committed = new TreeMap<>();
		jdbc.query("select order_id, version, transaction from changes order by order_id, version",
				(RowCallbackHandler) (row) -> committed.computeIfAbsent(row.getString(1), (order) -> new ArrayList<>())
					.add(new OrderChange(row.getLong(2), row.getLong(3))));
		committed.forEach(this::check);
		Totals totals = new Totals(committed.values().stream().mapToLong(List::size).sum(),
				this.performs.values().stream().flatMap(Queue::stream).mapToLong(List::size).sum());
		System.out.println("Outbox: " + totals);
		assertThat(totals.committed()).isPositive();
		return totals;
	}

	private void check(String order, List<OrderChange> changes) {
		assertThat(changes).extracting(OrderChange::version)
			.as("versions of order %s", order)
			.containsExactlyElementsOf(LongStream.rangeClosed(1, changes.size()).boxed().toList());
		Awaitility.await("changes of order " + order)
			.pollDelay(Duration.ZERO)
			.atMost(LONG)
			.until(() -> new HashSet<>(inOrder(order)).containsAll(changes));
		List<OrderChange> all = inOrder(order);
		// What is performed again is so from there on: it never comes behind a later one
		long last = 0;
		for (OrderChange change : all) {
			assertThat(change.version()).as("order %s: %s", order, all).isLessThanOrEqualTo(last + 1);
			last = change.version();
		}
		assertThat(all.get(all.size() - 1)).as("last perform of order %s", order)
			.isEqualTo(changes.get(changes.size() - 1));
		assertThat(this.performs.get(order)).as("deliveries of order %s", order)
			.allSatisfy((delivery) -> assertThat(delivery).extracting(OrderChange::version).isSorted());
	}

	private List<OrderChange> inOrder(String id) {
		return Optional.ofNullable(this.performs.get(id))
			.stream()
			.flatMap(Queue::stream)
			.flatMap(List::stream)
			.toList();
	}

	/**
	 * What was checked.
	 *
	 * @param committed how many changes were committed
	 * @param performed how many were performed, again or not
	 */
	record Totals(long committed, long performed) {

		@Override
		public String toString() {
			return "%d jobs committed, %d payloads performed, %d of them again".formatted(this.committed,
					this.performed, this.performed - this.committed);
		}

	}

}
