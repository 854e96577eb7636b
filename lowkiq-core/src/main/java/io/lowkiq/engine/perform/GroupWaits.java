package io.lowkiq.engine.perform;

import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The groups of a queue that one of their jobs has let wait on this node, and how often
 * jobs have done so in a row. Thread-safe: changed by performing and dispatching threads,
 * under the lock of this object.
 */
public final class GroupWaits {

	/** The maximum number of groups that wait, and of jobs that are counted. */
	private static final int MAX_KEPT = 10_000;

	private static final int MOST_TIMES = 10;

	private static final long LONGEST_PROBE = Duration.ofSeconds(1).toNanos();

	/** A group without a job so long after its wait needs no probe. */
	private static final long MAX_LATE = Duration.ofMinutes(1).toNanos();

	/** Until when no job of a group starts, by the monotonic clock; read by all. */
	private final Map<String, Long> until = new ConcurrentHashMap<>();

	private final Map<String, String> probes = new HashMap<>();

	/** The jobs that asked, by id. */
	private final Map<String, Asked> asked = new Bounded<>();

	/** The number of the last success in each group. */
	private final Map<String, Long> succeeded = new Bounded<>();

	private long successes;

	/** Whether anything is kept, so that most runs don't need the lock. */
	private volatile boolean isAny;

	/** How often in a row, and the number of successes at the last time. */
	private record Asked(int times, long successes) {
	}

	/** Forgets first what was put first. */
	private static final class Bounded<V> extends LinkedHashMap<String, V> {

		private static final long serialVersionUID = 1L;

		@Override
		protected boolean removeEldestEntry(Map.Entry<String, V> eldest) {
			return size() > MAX_KEPT;
		}

	}

	/** Lets the group of a job wait for some nanoseconds. */
	synchronized boolean ask(String group, String id, long nanos, long delay) {
		this.isAny = true;
		open(nanos);
		if (this.until.size() >= MAX_KEPT) {
			this.until.values().removeIf((known) -> known - nanos <= 0);
		}
		if (this.until.size() < MAX_KEPT || this.until.containsKey(group)) {
			boolean isProbed = this.probes.remove(group) != null;
			this.until.merge(group, nanos + delay, (known, other) -> (!isProbed && known - other > 0) ? known : other);
		}
		Asked last = this.asked.remove(id);
		this.asked.put(id, new Asked((last != null) ? last.times() + 1 : 1, this.successes));
		return last != null
				&& (last.times() + 1 >= MOST_TIMES || this.succeeded.getOrDefault(group, 0L) > last.successes());
	}

	/** Whether a run of any group has to be noted. */
	public boolean isAny() {
		return this.isAny;
	}

	/** Notes that a job didn't ask this time. */
	synchronized void ended(String group, String id, boolean isDone) {
		this.asked.remove(id);
		if (isDone) {
			this.succeeded.remove(group);
			this.succeeded.put(group, ++this.successes);
		}
		if (this.probes.remove(group, id)) {
			this.until.remove(group);
		}
		this.isAny = !this.asked.isEmpty() || !this.until.isEmpty();
	}

	/** Notes that a job is about to start: if its group has waited, it is the probe. */
	public synchronized void begin(String group, String id, long nanos) {
		open(nanos);
		Long known = this.until.get(group);
		if (known != null && known - nanos <= 0) {
			this.probes.put(group, id);
			this.until.put(group, nanos + LONGEST_PROBE);
		}
	}

	/** Until when groups wait, by the monotonic clock. */
	public Map<String, Long> until(long nanos) {
		if (this.isAny) {
			open(nanos);
		}
		return Collections.unmodifiableMap(this.until);
	}

	/** Forgets everything. */
	public synchronized void clear() {
		this.until.clear();
		this.probes.clear();
		this.asked.clear();
		this.succeeded.clear();
		this.isAny = false;
	}

	/** Ends the waits of groups whose probes have lasted too long, or don't come. */
	private synchronized void open(long nanos) {
		this.probes.keySet()
			.removeIf(
					(group) -> this.until.getOrDefault(group, nanos) - nanos <= 0 && this.until.remove(group) != null);
		this.until.values().removeIf((known) -> nanos - known > MAX_LATE);
	}

}
