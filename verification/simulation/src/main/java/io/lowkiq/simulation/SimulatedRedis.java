package io.lowkiq.simulation;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;

import io.lowkiq.redis.inmemory.Faults;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.job.Shard;
import org.jspecify.annotations.Nullable;

/**
 * A Redis in virtual time with a replica. While that lags, callers that wait for it, as
 * by {@code WAIT}, get no reply.
 */
final class SimulatedRedis {

	private static final Instant EPOCH = Instant.parse("2026-01-01T00:00:00Z");

	private final InMemoryRedis server;

	private final Scheduler scheduler;

	private final Timeline timeline;

	private final UnaryOperator<String> scripts;

	private final Stragglers stragglers;

	private final Faults.Snapshot empty;

	private Faults.@Nullable Snapshot replica;

	private Runnable beforeFollowUp = SimulatedRedis::nothing;

	private Runnable afterFollowUp = SimulatedRedis::nothing;

	private int failovers;

	private boolean hangs;

	private @Nullable LeaseCheck leases;

	private @Nullable SessionCheck sessions;

	/** The answer to callers that wait for the replica, when it has everything. */
	private final List<Runnable> waiting = new ArrayList<>();

	SimulatedRedis(Scheduler scheduler, Timeline timeline, UnaryOperator<String> scripts, RandomGenerator random) {
		this.scheduler = scheduler;
		this.timeline = timeline;
		// Another text, so that Redis doesn't know them from the checks
		this.scripts = (text) -> scripts.apply(text).replace("local MAX_UNSWEPT = 1000", "local MAX_UNSWEPT = 0")
				+ "\n";
		this.stragglers = new Stragglers(scheduler, random);
		this.server = new InMemoryRedis(() -> EPOCH.plusNanos(scheduler.now()));
		this.empty = this.server.faults().snapshot();
	}

	/** Removes rules from scripts, and lets them sweep short lists. */
	UnaryOperator<String> scripts() {
		return this.scripts;
	}

	InMemoryRedis server() {
		return this.server;
	}

	Stragglers stragglers() {
		return this.stragglers;
	}

	/** Stands still until {@link #resume()}. */
	void hang() {
		this.hangs = true;
		this.server.faults().hang();
	}

	void resume() {
		this.hangs = false;
		this.server.faults().resume();
		if (this.leases != null) {
			// Calls of that time were not watched
			this.leases.forget();
		}
	}

	/** Sets what watches calls. */
	void check(LeaseCheck leases, SessionCheck sessions) {
		this.leases = leases;
		this.sessions = sessions;
	}

	/** Looks before a call; returns what looks at the reply. */
	Consumer<List<?>> watch(String key, String task, byte[][] arguments) {
		Shard shard = EndCheck.shardOf(key);
		if (this.leases == null || this.sessions == null || this.hangs) {
			return (reply) -> {
			};
		}
		return (shard != null) ? this.leases.begin(shard, task, arguments).andThen(this.timeline::add)
				: this.sessions.begin(task, arguments);
	}

	/** A field of the nodes; null if there is none. */
	@Nullable String node(String field) {
		Object value = now("HGET", "lowkiq:{nodes}", field);
		return (value instanceof byte[] bytes) ? new String(bytes, StandardCharsets.UTF_8) : null;
	}

	/** Executes a command that can't fail. */
	@Nullable Object now(String... command) {
		return this.server
			.call(Arrays.stream(command).map((part) -> part.getBytes(StandardCharsets.UTF_8)).toArray(byte[][]::new))
			.join();
	}

	/** Answers when the replica has what was written. */
	void whenReplicated(Runnable answer) {
		if (this.replica == null) {
			answer.run();
		}
		else {
			this.waiting.add(answer);
		}
	}

	boolean lags() {
		return this.replica != null;
	}

	/** Lets something happen just before and after the next follow-up is enqueued. */
	void atFollowUp(Runnable before, Runnable after) {
		this.beforeFollowUp = before;
		this.afterFollowUp = after;
	}

	/** A follow-up arrives. */
	void followUpArrives() {
		if (!this.hangs) {
			this.beforeFollowUp.run();
			this.beforeFollowUp = SimulatedRedis::nothing;
		}
	}

	/** Answers at once: follow-ups wait until their target has them. */
	void followUpEnqueued(Runnable answer) {
		answer.run();
		this.scheduler.in(1, this.afterFollowUp);
		this.afterFollowUp = SimulatedRedis::nothing;
	}

	private static void nothing() {
	}

	/** From now on, the replica gets nothing. */
	void lag() {
		this.replica = this.server.faults().snapshot();
	}

	/** The replica takes the place of the master; who waits gets no answer. */
	void failOver() {
		Faults.Snapshot promoted = this.replica;
		this.replica = null;
		this.waiting.clear();
		this.failovers++;
		if (this.leases != null && this.sessions != null) {
			this.leases.forget();
			this.sessions.forget();
		}
		if (promoted != null) {
			this.server.faults().promote(promoted);
		}
	}

	/** Loses everything. */
	void empty() {
		this.replica = null;
		failOver();
		this.server.faults().promote(this.empty);
	}

	/** How many masters there were before the present one. */
	int failovers() {
		return this.failovers;
	}

	/** The replica catches up, and keeps up. */
	void catchUp() {
		atFollowUp(SimulatedRedis::nothing, SimulatedRedis::nothing);
		this.replica = null;
		List<Runnable> answers = List.copyOf(this.waiting);
		this.waiting.clear();
		answers.forEach(Runnable::run);
	}

}
