package io.lowkiq.test.probe;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Accounts in memory. Thread-safe; each method is atomic. */
final class AccountTable implements Accounts {

	private final Map<String, Row> rows = new TreeMap<>();

	private final Map<String, Long> balances = new TreeMap<>();

	private final Set<String> entries = new TreeSet<>();

	private final List<String> sent = new ArrayList<>();

	private record Row(Change change, long token) {
	}

	@Override
	public synchronized OptionalLong version(String id) {
		Row row = this.rows.get(id);
		return (row != null) ? OptionalLong.of(row.change().version()) : OptionalLong.empty();
	}

	@Override
	public synchronized void write(String id, Change change, long token) {
		this.rows.put(id, new Row(change, token));
	}

	@Override
	public synchronized boolean writeIfNewer(String id, Change change) {
		boolean newer = version(id).orElse(-1) < change.version();
		if (newer) {
			write(id, change, 0);
		}
		return newer;
	}

	@Override
	public synchronized boolean writeUnder(String id, Change change, long token) {
		Row row = this.rows.get(id);
		boolean allowed = row == null || row.token() <= token;
		if (allowed) {
			write(id, change, token);
		}
		return allowed;
	}

	@Override
	public synchronized void add(String id, long amount) {
		this.balances.merge(id, amount, Long::sum);
	}

	@Override
	public synchronized boolean enter(String id, String key) {
		return this.entries.add(id + " " + key);
	}

	@Override
	public synchronized void send(String id, String text) {
		this.sent.add(id + " " + text);
	}

	synchronized List<Object> state() {
		Map<String, Change> changes = new TreeMap<>();
		this.rows.forEach((id, row) -> changes.put(id, row.change()));
		return List.of(changes, Map.copyOf(this.balances), new TreeSet<>(this.entries), List.copyOf(this.sent));
	}

	synchronized void clear() {
		this.rows.clear();
		this.balances.clear();
		this.entries.clear();
		this.sent.clear();
	}

}
