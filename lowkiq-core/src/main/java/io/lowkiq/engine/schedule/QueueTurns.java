package io.lowkiq.engine.schedule;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.DoubleSupplier;
import java.util.function.LongFunction;
import java.util.function.Predicate;

import io.lowkiq.GroupPolicy;
import org.jspecify.annotations.Nullable;

/**
 * The accounts of the groups of a queue on this node: the thread time that each has used,
 * divided by its weight. The group with the smallest account is next. A job is charged
 * the queue's mean run time when it is fetched, what it runs longer while it runs, and
 * what it took when it ends. A group that becomes able to start a job enters with the
 * smallest account of the groups that can, or its own if that is larger: nothing is saved
 * up while a group is idle or held back, and nothing is to be made up for. Guarded by the
 * lock of the engine.
 */
public final class QueueTurns {

	/** The least that a job is charged when it is fetched, in nanoseconds. */
	private static final double MIN_CHARGE = 1_000;

	/**
	 * How far a group that is asked for may be ahead of one whose shard is being asked.
	 */
	private static final double LEAD = Duration.ofMillis(10).toNanos();

	/**
	 * By how much, at least, a group enters behind another: as many enter in one call.
	 */
	private static final int ENTRY = 256;

	private static final int MAX_STARTS = 20;

	/** From this number on, accounts of idle groups that are of no use are dropped. */
	private static final int MANY = 1_000;

	private final GroupPolicy policy;

	private final int threads;

	/** The maximum number of jobs of one group that may run on the node. */
	private final int share;

	private final DoubleSupplier meanRunTime;

	private final LongFunction<Map<String, Long>> waits;

	private Map<String, Long> lookedUp = Map.of();

	private long lookedUpAt = Long.MIN_VALUE;

	private GroupSettings settings;

	private final Map<String, Account> accounts = new HashMap<>();

	/** The accounts of jobs that run, or are about to. */
	private final Set<Account> active = new LinkedHashSet<>();

	/** The accounts with an allotment in the present round of choosing. */
	private final List<Account> allotted = new ArrayList<>();

	/** The shards that the node holds, in the order in which they were last asked. */
	private final Set<ShardTurns> shards = new LinkedHashSet<>();

	private long calls;

	/** The smallest account in the present round of choosing. */
	private double least;

	private boolean anyInTurn;

	/** The smallest account of the groups that can start a job; never goes back. */
	private double smallest;

	/** The account of the group that entered last, so that others enter behind it. */
	private double lastEntry;

	/** How many jobs, of whatever groups, the calls under way may bring. */
	private int reserved;

	/** Of tasks without groups. */
	private final Turn free = new Turn();

	private int dropFrom = MANY;

	static final class Account {

		private final String group;

		/** The thread time used, divided by the weight, with the charges. */
		private double used;

		/** How many jobs run, or are about to; and how many of these have not started. */
		private int jobs;

		private int fetched;

		/** The running tasks with jobs of the group. */
		private final Set<Turn> running = new LinkedHashSet<>();

		/** In how many shards it is known to wait for its turn. */
		private int waiting;

		/** Whether it could start nothing when last checked. */
		private boolean heldBack;

		/** The allotment in the present round of choosing, as if it were used. */
		private double allotted;

		private Account(String group) {
			this.group = group;
		}

		String group() {
			return this.group;
		}

		int jobs() {
			return this.jobs;
		}

		int fetched() {
			return this.fetched;
		}

		double at(long nanos) {
			double total = this.used + this.allotted;
			for (Turn turn : this.running) {
				total += turn.overtime(this, nanos);
			}
			return total;
		}

	}

	/** The charges for the jobs of a task. */
	public final class Turn {

		private final Map<Account, Charge> charges = new LinkedHashMap<>();

		private int size;

		private boolean started;

		private long startedAt;

		private Turn() {
		}

		public void start(long nanos) {
			this.started = true;
			this.startedAt = nanos;
			this.charges.forEach((account, charge) -> {
				account.fetched -= charge.jobs;
				account.running.add(this);
			});
		}

		public void end(long nanos) {
			this.charges.forEach((account, charge) -> account.used += time(charge, nanos) - charge.time);
			lose();
		}

		/** The task did not start: it costs nothing. */
		public void giveBack() {
			this.charges.forEach((account, charge) -> account.used -= charge.time);
			lose();
		}

		/** The task is no longer known under the lease. */
		public void lose() {
			this.charges.forEach((account, charge) -> {
				account.jobs -= charge.jobs;
				account.fetched -= this.started ? 0 : charge.jobs;
				account.running.remove(this);
				if (account.jobs == 0) {
					QueueTurns.this.active.remove(account);
				}
				dropIfIdle(account);
			});
		}

		/** The time of a batch is divided among its jobs. */
		private double time(Charge charge, long nanos) {
			return (double) (nanos - this.startedAt) / this.size * charge.jobs / charge.weight;
		}

		private double overtime(Account account, long nanos) {
			Charge charge = this.charges.get(account);
			return (charge != null) ? Math.max(0, time(charge, nanos) - charge.time) : 0;
		}

	}

	/** Of the jobs of a group in a task. */
	private static final class Charge {

		private final int weight;

		private int jobs;

		private double time;

		Charge(int weight) {
			this.weight = weight;
		}

	}

	/**
	 * The accounts of a node on which nothing runs.
	 * @param meanRunTime of a job, in nanoseconds; 0 if not known
	 */
	public QueueTurns(GroupPolicy policy, int threads, int batchSize, DoubleSupplier meanRunTime,
			LongFunction<Map<String, Long>> waits) {
		this.policy = policy;
		this.threads = threads;
		this.share = (policy.maxShare() < 100) ? (int) Math.max(1, (long) threads * batchSize * policy.maxShare() / 100)
				: Integer.MAX_VALUE;
		this.meanRunTime = meanRunTime;
		this.waits = waits;
		this.settings = new GroupSettings(policy, Map.of());
	}

	/** Whether the ids of the queue form groups. */
	public boolean areAny() {
		return this.policy.isAny();
	}

	int threads() {
		return this.threads;
	}

	public GroupSettings settings() {
		return this.settings;
	}

	public void settings(GroupSettings other) {
		this.settings = other;
	}

	/**
	 * Until when groups wait because a job has asked for it; looked up once for a time.
	 */
	Map<String, Long> waits(long nanos) {
		if (nanos != this.lookedUpAt) {
			this.lookedUpAt = nanos;
			this.lookedUp = this.waits.apply(nanos);
		}
		return this.lookedUp;
	}

	/** Charges fetched jobs to their groups. */
	public Turn take(List<String> groups) {
		if (groups.isEmpty()) {
			return this.free;
		}
		Turn turn = new Turn();
		turn.size = groups.size();
		for (String group : groups) {
			Account account = account(group);
			Charge charge = turn.charges.computeIfAbsent(account, (key) -> new Charge(this.settings.weight(group)));
			double time = charge() / charge.weight;
			charge.jobs++;
			charge.time += time;
			account.jobs++;
			account.fetched++;
			account.used += time;
			this.active.add(account);
		}
		return turn;
	}

	double charge() {
		return Math.max(MIN_CHARGE, this.meanRunTime.getAsDouble());
	}

	private Account account(String group) {
		return this.accounts.computeIfAbsent(group, (key) -> {
			Account account = new Account(key);
			account.used = this.smallest;
			return account;
		});
	}

	/** The account of a group; null if it is like that of any group that enters. */
	@Nullable Account find(String group) {
		return this.accounts.get(group);
	}

	Set<Account> active() {
		return this.active;
	}

	/** The number of jobs of a group that run, or are about to. */
	int jobs(String group) {
		Account account = this.accounts.get(group);
		return (account != null) ? account.jobs : 0;
	}

	/** How many jobs of a group may run, less what the calls under way may bring. */
	int share() {
		return (this.share < Integer.MAX_VALUE) ? Math.max(0, this.share - this.reserved) : this.share;
	}

	/** Not while calls under way may bring as many jobs as one group may have. */
	public boolean mayFetch() {
		return share() > 0;
	}

	/** Notes that a call under way may bring jobs, or no longer may. */
	public void reserve(int change) {
		this.reserved += change;
	}

	/** The account of a group that becomes able to start a job. */
	double enter() {
		this.lastEntry = Math.max(this.smallest, Math.max(this.lastEntry + ENTRY, Math.nextUp(this.lastEntry)));
		return this.lastEntry;
	}

	double smallest() {
		return this.smallest;
	}

	/** A group is known to wait for its turn in one more shard. */
	Account waits(String group, double found, long nanos) {
		Account account = account(group);
		if (account.waiting == 0) {
			enter(account, Math.max(this.smallest, Math.min(found, this.lastEntry)), nanos);
		}
		account.waiting++;
		return account;
	}

	private void enter(Account account, double entry, long nanos) {
		account.heldBack = false;
		account.used += Math.max(0, entry - account.at(nanos));
	}

	void waitsNoLonger(Account account) {
		account.waiting--;
		dropIfIdle(account);
	}

	/** An account that isn't larger than that of a group that enters is of no use. */
	private boolean isIdle(Account account) {
		return account.jobs == 0 && account.waiting == 0 && account.used <= this.smallest;
	}

	private void dropIfIdle(Account account) {
		if (isIdle(account)) {
			this.accounts.remove(account.group);
		}
		else if (this.accounts.size() > this.dropFrom) {
			this.accounts.values().removeIf(this::isIdle);
			this.dropFrom = Math.max(MANY, 2 * this.accounts.size());
		}
	}

	/** When some groups that wait for a time may start their next job, for people. */
	public Map<String, Long> nextStarts() {
		Map<String, Long> starts = new HashMap<>();
		for (ShardTurns shard : this.shards) {
			shard.asleep().limit(MAX_STARTS).forEach((group) -> starts.putIfAbsent(group.getKey(), group.getValue()));
		}
		return starts;
	}

	void add(ShardTurns shard) {
		this.shards.add(shard);
	}

	void remove(ShardTurns shard) {
		this.shards.remove(shard);
	}

	long asks(ShardTurns shard) {
		this.shards.remove(shard);
		this.shards.add(shard);
		this.calls++;
		return this.calls;
	}

	public void beginRound(Predicate<ShardTurns> mayAsk, long nanos) {
		this.least = Double.MAX_VALUE;
		for (ShardTurns shard : this.shards) {
			boolean isAskable = mayAsk.test(shard);
			Account first = (isAskable || shard.isBeingAsked(nanos)) ? firstOf(shard, nanos) : null;
			shard.beginRound(isAskable && share() > 0, first);
			this.least = (first != null) ? Math.min(this.least, first.at(nanos)) : this.least;
		}
		if (this.least < Double.MAX_VALUE) {
			this.smallest = Math.max(this.smallest, this.least);
		}
		this.anyInTurn = this.shards.stream().anyMatch((shard) -> shard.isUnknown() || shard.isInTurn(nanos));
	}

	boolean isAnyInTurn() {
		return this.anyInTurn;
	}

	/** Whether the first group of a shard is not far ahead of the others. */
	boolean isInTurn(Account first, long nanos) {
		return first.at(nanos) <= this.least + Math.max(charge(), LEAD);
	}

	/**
	 * The shard to ask next: that of the group with the smallest account, but
	 * {@link #unheardOf()} first; null if no group may start a job.
	 */
	public @Nullable ShardTurns next(long nanos) {
		ShardTurns unknown = null;
		ShardTurns next = null;
		Account first = null;
		for (ShardTurns shard : this.shards) {
			if (shard.isUnknown() && (unknown == null || (unknown.isAllotted() && !shard.isAllotted()))) {
				unknown = shard;
			}
			Account account = !shard.isInTurn(nanos) ? null
					: this.allotted.isEmpty() ? shard.best() : firstOf(shard, nanos);
			if (account != null && (first == null || account.at(nanos) < first.at(nanos))) {
				next = shard;
				first = account;
			}
		}
		if (unknown != null && (first == null || !unknown.isAllotted())) {
			unknown.allot();
			return unknown;
		}
		if (first != null) {
			first.allotted += charge() / this.settings.weight(first.group);
			this.allotted.add(first);
		}
		return next;
	}

	/** The first group of a shard that may start a job; null if none may. */
	private @Nullable Account firstOf(ShardTurns shard, long nanos) {
		Account first = null;
		for (Account account : shard.able()) {
			if ((first == null || account.at(nanos) < first.at(nanos)) && mayStart(shard, account, nanos)
					&& (first == null || account.at(nanos) < first.at(nanos))) {
				first = account;
			}
		}
		return first;
	}

	private boolean mayStart(ShardTurns shard, Account account, long nanos) {
		boolean mayStart = account.jobs < share() && shard.roomInLimits(account.group, nanos) > 0;
		if (mayStart && account.heldBack) {
			enter(account, enter(), nanos);
		}
		account.heldBack = !mayStart;
		return mayStart;
	}

	public void endRound() {
		this.allotted.forEach((account) -> account.allotted = 0);
		this.allotted.clear();
	}

	/**
	 * A shard, or null, that has not been asked while the others were asked twice each:
	 * groups may wait in it that nobody knows of.
	 */
	public @Nullable ShardTurns unheardOf() {
		long askable = this.shards.stream().filter(ShardTurns::mayAsk).count();
		return this.shards.stream()
			.filter((shard) -> shard.mayAsk() && this.calls - shard.asked() > 2 * askable)
			.findFirst()
			.orElse(null);
	}

}
