package io.lowkiq.dashboard.actions;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

import io.lowkiq.dashboard.history.DashboardKeys;
import io.lowkiq.redis.call.LuaScript;
import io.lowkiq.redis.call.Reply;
import tools.jackson.databind.json.JsonMapper;

/**
 * Where all nodes see which actions run: any node can answer how far a run is, and stop
 * it. A run that has not reported for a minute keeps no other from beginning.
 * Thread-safe.
 */
public final class ActionBoard {

	/** The most runs of a list. */
	private static final int MAX_RUNNING = 100;

	private static final Duration KEPT = Duration.ofHours(1);

	private static final Duration ALIVE = Duration.ofMinutes(1);

	private static final LuaScript TAKE = DashboardKeys.script("take-lock.lua", ActionBoard.class);

	private static final LuaScript RELEASE = DashboardKeys.script("release-lock.lua", ActionBoard.class);

	private final JsonMapper mapper = JsonMapper.shared();

	private final DashboardKeys keys;

	/** A hash that has a field for every run that has begun and not ended. */
	private final String begun;

	public ActionBoard(DashboardKeys keys) {
		this.keys = keys;
		this.begun = keys.key("actions", "running");
	}

	/** Begins an action, unless the same one runs on the queue. */
	public ActionStatus begin(ActionStatus status) {
		write(status);
		String lock = lock(status);
		String holder = take(lock, status);
		while (!holder.equals(status.run())) {
			Optional<ActionStatus> other = find(holder);
			if (other.isPresent()) {
				this.keys.command("DEL", key("run", status.run()));
				return other.get();
			}
			release(lock, holder);
			holder = take(lock, status);
		}
		writeRunning(status);
		return status;
	}

	/** Returns the run that has the lock. */
	private String take(String lock, ActionStatus status) {
		return this.keys.run(TAKE, List.of(lock), status.run(), Long.toString(ALIVE.toMillis())).text(0);
	}

	/** Tells how far a run is, and that it is alive. */
	public boolean update(ActionStatus status) {
		write(status);
		writeRunning(status);
		expire(lock(status), ALIVE);
		return !exists(key("cancelled", status.run()));
	}

	/** Tells how a run ended. The same action can begin again. */
	public void end(ActionStatus status) {
		write(status);
		this.keys.command("HDEL", this.begun, status.run());
		release(lock(status), status.run());
	}

	/**
	 * Releases the lock in one step, because another node may have taken it since it was
	 * checked.
	 */
	private void release(String lock, String run) {
		this.keys.run(RELEASE, List.of(lock), run);
	}

	/** Looks a run up. It can be found for an hour after its last step. */
	public Optional<ActionStatus> find(String run) {
		Reply json = this.keys.command("GET", key("run", run));
		return json.isNull(0) ? Optional.empty() : Optional.of(this.mapper.readValue(json.text(0), ActionStatus.class));
	}

	/**
	 * The actions in progress, on any node. A run that has not reported for a minute is
	 * left out.
	 * @return the runs, at most {@value #MAX_RUNNING}, those that began first
	 */
	public List<ActionStatus> running() {
		List<ActionStatus> running = new ArrayList<>();
		Reply runs = this.keys.command("HKEYS", this.begun).inner(0);
		for (int i = 0; i < runs.size(); i++) {
			String run = runs.text(i);
			Optional<ActionStatus> status = find(run).filter(ActionStatus::isRunning);
			if (status.isPresent() && exists(key("alive", run))) {
				running.add(status.get());
			}
			else {
				// Its node died, or its end was written after its step
				this.keys.command("HDEL", this.begun, run);
			}
		}
		return running.stream().sorted(Comparator.comparingLong(ActionStatus::startedAt)).limit(MAX_RUNNING).toList();
	}

	/** Asks a run to stop. */
	public void cancel(String run) {
		this.keys.set(key("cancelled", run), "1", KEPT);
	}

	private void write(ActionStatus status) {
		this.keys.set(key("run", status.run()), this.mapper.writeValueAsString(status), KEPT);
	}

	private void writeRunning(ActionStatus status) {
		this.keys.set(key("alive", status.run()), "1", ALIVE);
		this.keys.command("HSET", this.begun, status.run(), status.queue());
		expire(this.begun, KEPT);
	}

	private void expire(String key, Duration kept) {
		this.keys.command("PEXPIRE", key, Long.toString(kept.toMillis()));
	}

	private boolean exists(String key) {
		return this.keys.command("EXISTS", key).number(0) > 0;
	}

	private String key(String kind, String run) {
		return this.keys.key("actions", kind + ":" + run);
	}

	private String lock(ActionStatus status) {
		String lock = key("lock", status.queue() + ":" + status.action());
		return (status.selection() != null) ? lock + ":" + this.mapper.writeValueAsString(status.selection()) : lock;
	}

}
