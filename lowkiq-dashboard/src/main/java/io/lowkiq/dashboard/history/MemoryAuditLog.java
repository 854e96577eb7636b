package io.lowkiq.dashboard.history;

import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.lowkiq.admin.AdminEvent;

/**
 * An {@link AuditLog} of one node, where there is no Redis.
 */
public final class MemoryAuditLog implements AuditLog {

	private final InstantSource clock;

	/** Guarded by this; newest first. */
	private final Deque<Entry> entries = new ArrayDeque<>();

	/** Actions on groups. Guarded by this; newest first. */
	private final Deque<Entry> ofGroups = new ArrayDeque<>();

	/** Guarded by this. */
	private final Map<String, Entry> pauses = new HashMap<>();

	/**
	 * Creates an empty log.
	 * @param clock the time of the entries
	 */
	public MemoryAuditLog(InstantSource clock) {
		this.clock = clock;
	}

	@Override
	public synchronized void add(AdminEvent event) {
		Entry entry = Entry.of(this.clock.millis(), event);
		Deque<Entry> kind = entry.isOfGroups() ? this.ofGroups : this.entries;
		kind.addFirst(entry);
		if (kind.size() > KEPT) {
			kind.removeLast();
		}
		if (entry.pauses()) {
			this.pauses.put(entry.queue(), entry);
		}
		else if (entry.resumes()) {
			this.pauses.remove(entry.queue());
		}
	}

	@Override
	public synchronized List<Entry> recent(boolean groups, int limit) {
		return (groups ? this.ofGroups : this.entries).stream().limit(limit).toList();
	}

	@Override
	public synchronized Optional<Entry> lastPause(String queue) {
		return Optional.ofNullable(this.pauses.get(queue));
	}

}
