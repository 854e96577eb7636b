package io.lowkiq.autoconfigure.schedule;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Of this application. Written when workers are discovered, read afterwards. */
public final class DeclaredSchedules {

	private final Map<String, List<Schedule>> byQueue = new LinkedHashMap<>();

	private final Map<String, Set<String>> switchedOff = new LinkedHashMap<>();

	private final Set<String> without = new LinkedHashSet<>();

	public void add(String queue, List<Schedule> schedules) {
		if (schedules.isEmpty()) {
			this.without.add(queue);
		}
		else {
			this.byQueue.put(queue, List.copyOf(schedules));
		}
	}

	/** Notes that a schedule has the expression '-'. */
	public void switchOff(String queue, String id) {
		this.switchedOff.computeIfAbsent(queue, (added) -> new LinkedHashSet<>()).add(id);
	}

	public Map<String, List<Schedule>> all() {
		return this.byQueue;
	}

	Map<String, Set<String>> switchedOff() {
		return this.switchedOff;
	}

	/** The queues of the workers that have no schedule. */
	Set<String> without() {
		return this.without;
	}

	boolean hasWorkers() {
		return !this.byQueue.isEmpty() || !this.without.isEmpty();
	}

}
