package io.lowkiq.dashboard.actions;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * An {@link ActionBoard} of one node, where there is no Redis.
 */
public final class MemoryActionBoard implements ActionBoard {

	/** The most runs that are kept, unless more run. */
	static final int KEPT = 1_000;

	/** Guarded by this; the last runs in the order they began. */
	private final Map<String, Run> runs = new LinkedHashMap<>();

	@Override
	public synchronized ActionStatus begin(ActionStatus status) {
		for (Run run : this.runs.values()) {
			ActionStatus other = run.status();
			if (other.isRunning() && other.isSameAs(status)) {
				return other;
			}
		}
		this.runs.put(status.run(), new Run(status, false));
		var eldest = this.runs.values().iterator();
		while (this.runs.size() > KEPT && eldest.hasNext()) {
			if (!eldest.next().status().isRunning()) {
				eldest.remove();
			}
		}
		return status;
	}

	@Override
	public synchronized boolean update(ActionStatus status) {
		Run run = this.runs.get(status.run());
		boolean cancelled = run != null && run.cancelled();
		this.runs.put(status.run(), new Run(status, cancelled));
		return !cancelled;
	}

	@Override
	public synchronized void end(ActionStatus status) {
		this.runs.put(status.run(), new Run(status, false));
	}

	@Override
	public synchronized Optional<ActionStatus> find(String run) {
		return Optional.ofNullable(this.runs.get(run)).map(Run::status);
	}

	@Override
	public synchronized List<ActionStatus> running() {
		return this.runs.values().stream().map(Run::status).filter(ActionStatus::isRunning).limit(MAX_RUNNING).toList();
	}

	@Override
	public synchronized void cancel(String run) {
		this.runs.computeIfPresent(run, (id, found) -> new Run(found.status(), true));
	}

	private record Run(ActionStatus status, boolean cancelled) {
	}

}
