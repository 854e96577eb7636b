package io.lowkiq.reliability.outbox;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

import org.awaitility.Awaitility;

import org.springframework.jdbc.core.JdbcTemplate;

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
	private final Map<String, List<List<OrderChange>>> performs = new ConcurrentHashMap<>();

	/** Written by who holds it, read by all workers. */
	private final ReadWriteLock gate = new ReentrantReadWriteLock();

	private final Worker<OrderChange> worker = this::perform;

	private void perform(String id, List<OrderChange> changes) {
		this.gate.readLock().lock();
		try {
			this.performs.computeIfAbsent(id, (order) -> new CopyOnWriteArrayList<>()).add(changes);
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
			.flatMap(List::stream)
			.flatMap(List::stream)
			.map(OrderChange::transaction)
			.collect(Collectors.toSet());
		return jdbc.queryForList("select transaction from changes", Long.class)
			.stream()
			.filter((transaction) -> !performed.contains(transaction))
			.count();
	}

	/** Few payloads at a time, so that what is sent again meets halves of what was. */
	RegisteredWorker worker() {
		return new RegisteredWorker(OutboxProgram.QUEUE, Worker.class, OrderChange.class,
				new RegisteredWorker.Settings(4, 1, 25, 3, 1, 0), () -> this.worker);
	}

	/**
	 * Waits until every committed change was performed, and checks that no other was, and
	 * that the changes of an order came in the order of their commits.
	 * @param jdbc the database
	 */
	void check(JdbcTemplate jdbc) {
		long committed = 0;
		long performed = 0;
		for (int order = 0; order < OutboxProgram.ORDERS; order++) {
			String id = Integer.toString(order);
			List<OrderChange> changes = jdbc.query(
					"select version, transaction from changes where order_id = ? order by version",
					(row, number) -> new OrderChange(row.getLong(1), row.getLong(2)), order);
			assertThat(changes).extracting(OrderChange::version)
				.as("versions of order %d", order)
				.containsExactlyElementsOf(LongStream.rangeClosed(1, changes.size()).boxed().toList());
			if (changes.isEmpty()) {
				continue;
			}
			Awaitility.await("changes of order " + order)
				.atMost(LONG)
				.until(() -> new HashSet<>(inOrder(id)).containsAll(changes));
			List<OrderChange> all = inOrder(id);
			assertThat(all.stream().distinct()).as("first performs of order %d", order)
				.containsExactlyElementsOf(changes);
			assertThat(all.get(all.size() - 1)).as("last perform of order %d", order)
				.isEqualTo(changes.get(changes.size() - 1));
			assertThat(this.performs.get(id)).as("deliveries of order %d", order)
				.allSatisfy((delivery) -> assertThat(delivery).extracting(OrderChange::version).isSorted());
			committed += changes.size();
			performed += all.size();
		}
		System.out.printf("Outbox: %d jobs committed, %d payloads performed, %d of them again%n", committed, performed,
				performed - committed);
		assertThat(committed).isPositive();
	}

	private List<OrderChange> inOrder(String id) {
		return this.performs.getOrDefault(id, List.of()).stream().flatMap(List::stream).toList();
	}

}
