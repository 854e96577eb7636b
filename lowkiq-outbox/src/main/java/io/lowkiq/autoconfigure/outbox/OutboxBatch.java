package io.lowkiq.autoconfigure.outbox;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.Payload;
import io.lowkiq.store.job.StoredPayload;

/** Rows of the table, those of one queue after the other. */
final class OutboxBatch {

	private static final long MAX_BYTES = 8 << 20;

	/** Each queue costs a call, and the lock is held meanwhile. */
	private static final int MAX_QUEUES = 50;

	/** After so many rows, the rest is fetched by the size of these. */
	static final int FIRST_ROWS = 100;

	private final int most;

	private final Map<String, List<OutboxRow>> byQueue = new LinkedHashMap<>();

	private int size;

	private long bytes;

	private String last = "";

	/** Whether rows were left out that may be sent, too. */
	private boolean isCut;

	OutboxBatch(int most) {
		this.most = most;
	}

	/** Adds rows, with all columns of {@link OutboxSql#COLUMNS}, until it is full. */
	boolean addAll(ResultSet rows) throws SQLException {
		for (int count = 1; !isFullOfRows() && rows.next(); count++) {
			add(row(rows));
			if (count == FIRST_ROWS) {
				rows.setFetchSize(likelyToFit());
			}
		}
		return isFullOfRows();
	}

	private void add(OutboxRow row) {
		this.byQueue.computeIfAbsent(row.queue(), (queue) -> new ArrayList<>()).add(row);
		this.size++;
		this.bytes += row.payload().payload().length;
		this.last = row.queue();
	}

	/** The first rows of the batch, without some others. */
	OutboxBatch without(List<OutboxRow> some, int most) {
		if (some.isEmpty() && this.size <= most) {
			return this;
		}
		Set<Long> sequences = some.stream().map(OutboxRow::sequence).collect(Collectors.toSet());
		OutboxBatch others = new OutboxBatch(most);
		rows().stream().filter((row) -> !sequences.contains(row.sequence())).limit(most).forEach(others::add);
		return others;
	}

	void cut() {
		this.isCut = true;
	}

	int size() {
		return this.size;
	}

	/** How many rows it can still take. */
	int room() {
		return this.most - this.size;
	}

	/** How many more rows it can take if they are as large as the present ones. */
	private int likelyToFit() {
		long fit = this.size * (MAX_BYTES - this.bytes) / (this.bytes + 1);
		return (int) Math.max(1, Math.min(fit, this.most));
	}

	private boolean isFullOfRows() {
		return this.size >= this.most || this.bytes >= MAX_BYTES;
	}

	/** Whether no further queue is read. */
	boolean isFull() {
		return isFullOfRows() || this.byQueue.size() >= MAX_QUEUES;
	}

	/** Whether there may be more rows. */
	boolean hasMore() {
		return this.isCut || isFull();
	}

	/** The rows by queue, in the order of their sequence. */
	Map<String, List<OutboxRow>> byQueue() {
		return this.byQueue;
	}

	List<OutboxRow> rows() {
		return this.byQueue.values().stream().flatMap(List::stream).toList();
	}

	/** The queue of the last row; empty if there is none. */
	String lastQueue() {
		return this.last;
	}

	static List<Long> sequences(List<OutboxRow> rows) {
		return rows.stream().map(OutboxRow::sequence).toList();
	}

	private static OutboxRow row(ResultSet results) throws SQLException {
		Payload stored = StoredPayload.read(results.getBytes("payload"), 0);
		NewPayload payload = NewPayload.of(results.getString("job_id"), stored.bytes()).followedBy(stored.next());
		double score = results.getDouble("score");
		payload = results.wasNull() ? payload : payload.withScore(score);
		long performAt = results.getLong("perform_at");
		boolean due = results.wasNull();
		long delay = results.getLong("delay");
		payload = due ? payload.withDelay(Duration.ofMillis(delay)) : payload.withPerformAt(performAt);
		return new OutboxRow(results.getLong("seq"), results.getString("queue"), payload,
				results.getLong("created_at"));
	}

}
