package io.lowkiq.engine.schedule;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.stream.Stream;

import io.lowkiq.RateLimit;
import io.lowkiq.engine.schedule.QueueTurns.Account;
import io.lowkiq.store.GroupTurns;
import io.lowkiq.store.WaitingGroups;
import io.lowkiq.store.job.FetchedJob;
import org.jspecify.annotations.Nullable;

/**
 * The groups that wait in a shard under a lease, as far as the storage has named them,
 * and the starts that each has saved up. A group that may start nothing by its limits is
 * not in the storage's order until a fetch names it with room. A fetch looks only at
 * those that may have room again: not at paused ones before the settings change, nor at
 * those that sleep until a time. Guarded by the lock of the engine.
 */
public final class ShardTurns {

	private static final int MAX_NAMED = 100;

	/** Nobody waits for the answer of a call that takes longer. */
	private static final long LATE = Duration.ofMillis(100).toNanos();

	private final QueueTurns queue;

	/**
	 * Added to an account in the storage, so that groups of an earlier lease come first.
	 */
	private final double offset;

	private boolean undistributed;

	private boolean any;

	/** The first groups in the storage's order. */
	private List<Account> first = List.of();

	/** Groups that are not in that order and have room again. */
	private List<Account> returning = List.of();

	/** The groups that may start nothing, as far as is known. */
	private final Set<String> awake = new LinkedHashSet<>();

	/** Until when a group sleeps, in nanoseconds of the monotonic clock. */
	private final Map<String, Long> asleep = new HashMap<>();

	/**
	 * The times of groups that sleep, the next first, and of some that don't any more.
	 */
	private final PriorityQueue<Alarm> alarms = new PriorityQueue<>(
			(one, other) -> Long.signum(one.until() - other.until()));

	private final Set<String> paused = new LinkedHashSet<>();

	/** The settings by which groups are paused or sleep. */
	private @Nullable GroupSettings settings;

	/** Whether the last call found groups that may start nothing. */
	private boolean hasFound;

	/** Since when groups save up starts. */
	private long since;

	/** Full buckets are forgotten: they are like those of unknown groups. */
	private Map<String, Bucket> buckets = new HashMap<>();

	private int dropFrom = MAX_NAMED;

	/** The jobs that the call under way may bring; -1 if none is under way. */
	private int calling = -1;

	private long calledAt;

	/** The number of the last call, of those of all shards. */
	private long asked;

	/** Whether jobs may be due of groups that nobody knows of. */
	private boolean news;

	/** Whether all groups in the order had their share after the last call. */
	private boolean isHeldBack;

	/** Of the present round of choosing: whether the shard may be asked. */
	private boolean mayAsk;

	private @Nullable Account best;

	private boolean allotted;

	private record Alarm(long until, String group) {
	}

	/** The starts of one group, by the rate that it had. */
	private record Bucket(RateLimit rate, TokenBucket starts) {
	}

	/** The groups of a shard whose lease begins: no starts are saved up. */
	public ShardTurns(QueueTurns queue, WaitingGroups found, long nanos) {
		this.queue = queue;
		this.any = found.any();
		this.offset = Math.max(0, found.last()) + 1 - queue.smallest();
		this.since = nanos;
		queue.add(this);
	}

	/** The lease continues that of another object: what that has saved up is kept. */
	public void continues(ShardTurns before) {
		this.since = before.since;
		this.buckets = before.buckets;
	}

	/** The lease is lost, or given back. */
	public void close() {
		ended();
		first(List.of());
		returning(List.of());
		this.queue.remove(this);
	}

	/** The accounts of the queue. */
	public QueueTurns queue() {
		return this.queue;
	}

	/** Whether groups take turns in the next call. */
	public boolean areAny() {
		return this.queue.areAny() || this.any;
	}

	/** Whether to call again at once, also for no jobs. */
	public boolean areUndistributed() {
		return this.undistributed;
	}

	/** Whether groups wait for a thread, as far as is known. */
	public boolean areWaiting() {
		return !this.first.isEmpty() || !this.returning.isEmpty();
	}

	/** The groups that wait for a thread, as far as is known. */
	List<Account> able() {
		if (this.returning.isEmpty()) {
			return this.first;
		}
		List<Account> able = new ArrayList<>(this.first);
		able.addAll(this.returning);
		return able;
	}

	/** The number of jobs to fetch at most, so that calls for others can be under way. */
	public int shareLeft() {
		int share = this.queue.share();
		boolean areKnown = !this.news && !this.undistributed && areWaiting();
		return areKnown ? Math.max(1, share - able().stream().mapToInt(Account::jobs).min().orElse(0)) : share;
	}

	/** Notes whether jobs may be due of groups that nobody knows of. */
	public void news(boolean some) {
		this.news = some;
	}

	void beginRound(boolean askable, @Nullable Account newBest) {
		this.mayAsk = askable;
		this.best = newBest;
		this.allotted = false;
	}

	/** Whether the shard is among those to choose from. */
	boolean mayAsk() {
		return this.mayAsk;
	}

	@Nullable Account best() {
		return this.best;
	}

	/** Whether it may have a group that may start a job and nobody knows of. */
	boolean isUnknown() {
		return this.mayAsk && (this.news || !areWaiting() || (this.best == null && !this.isHeldBack));
	}

	/** Whether it is the turn of its first group in this round. */
	boolean isInTurn(long nanos) {
		return this.mayAsk && this.best != null && this.queue.isInTurn(this.best, nanos);
	}

	/** Whether it has jobs for a thread, and its queue has some whose turn it is. */
	public boolean isWorthAsking() {
		return this.mayAsk && (this.best != null || isUnknown()) && this.queue.isAnyInTurn();
	}

	boolean isAllotted() {
		return this.allotted;
	}

	void allot() {
		this.allotted = true;
	}

	long asked() {
		return this.asked;
	}

	private boolean isCalling() {
		return this.calling >= 0;
	}

	/** Whether a call is under way whose answer is worth waiting for. */
	boolean isBeingAsked(long nanos) {
		return isCalling() && untilLate(nanos) > 0;
	}

	/**
	 * How many nanoseconds other shards' groups wait for the call; 0 or less for none.
	 */
	public long untilLate(long nanos) {
		return this.calledAt + LATE - nanos;
	}

	/** Notes that a call is made. */
	public void asks(int jobs, long nanos) {
		ended();
		if (!areAny()) {
			return;
		}
		this.calledAt = nanos;
		this.calling = jobs;
		this.queue.reserve(jobs);
		this.asked = this.queue.asks(this);
	}

	/** The call has ended, whatever is known of it. */
	public void ended() {
		if (isCalling()) {
			this.queue.reserve(-this.calling);
			this.calling = -1;
		}
	}

	/** Notes the answer of a call, in which groups took turns unless they are null. */
	public void answered(WaitingGroups answer, @Nullable GroupTurns turns, long nanos) {
		this.undistributed = answer.undistributed();
		this.any = answer.any();
		if (turns == null || !answer.any()) {
			this.awake.clear();
			this.asleep.clear();
			this.alarms.clear();
			this.paused.clear();
		}
		else {
			turns.uses().stream().filter((use) -> use.room() > 0).map(GroupTurns.Use::group).forEach(this::inOrder);
		}
		answer.full().stream().filter((group) -> !isFull(group)).forEach(this.awake::add);
		this.hasFound = !answer.full().isEmpty();
		first(answer.first()
			.stream()
			.map((group) -> this.queue.waits(group.group(), group.account() - this.offset, nanos))
			.toList());
		returning(List.of());
		this.isHeldBack = turns != null && this.first.stream().allMatch((account) -> account.jobs() >= turns.share());
	}

	private void inOrder(String group) {
		this.awake.remove(group);
		this.asleep.remove(group);
		this.paused.remove(group);
	}

	private void first(List<Account> accounts) {
		List<Account> before = this.first;
		this.first = accounts;
		before.forEach(this.queue::waitsNoLonger);
	}

	private void returning(List<Account> accounts) {
		List<Account> before = this.returning;
		this.returning = accounts;
		before.forEach(this.queue::waitsNoLonger);
	}

	private boolean isFull(String group) {
		return this.awake.contains(group) || this.asleep.containsKey(group) || this.paused.contains(group);
	}

	/**
	 * Looks for groups that could start nothing and have room again. Returns the
	 * nanoseconds until to look again; the largest number if a job must end before.
	 */
	public long lookForRoom(long nanos) {
		if (!areAny()) {
			return Long.MAX_VALUE;
		}
		wake(nanos);
		List<Account> found = new ArrayList<>();
		for (String group : List.copyOf(this.awake)) {
			if (found.size() == MAX_NAMED) {
				break;
			}
			long until = untilRoom(group, nanos);
			if (until <= 0) {
				found.add(this.queue.waits(group, Double.MAX_VALUE, nanos));
			}
			else if (until < Long.MAX_VALUE && fetched(group) == 0) {
				// What is fetched may go back, and leave room before
				this.awake.remove(group);
				this.asleep.put(group, nanos + until);
				this.alarms.add(new Alarm(nanos + until, group));
			}
		}
		returning(found);
		return untilAlarm(nanos);
	}

	private void wake(long nanos) {
		GroupSettings current = this.queue.settings();
		if (current != this.settings) {
			this.settings = current;
			this.awake.addAll(this.asleep.keySet());
			this.awake.addAll(this.paused);
			this.asleep.clear();
			this.alarms.clear();
			this.paused.clear();
		}
		while (untilAlarm(nanos) <= 0) {
			String group = this.alarms.remove().group();
			this.asleep.remove(group);
			this.awake.add(group);
		}
		this.awake.removeIf((group) -> current.isPaused(group) && this.paused.add(group));
	}

	/** Until when groups sleep. */
	Stream<Map.Entry<String, Long>> asleep() {
		return this.asleep.entrySet().stream();
	}

	private long untilAlarm(long nanos) {
		Alarm next = this.alarms.peek();
		while (next != null && !Objects.equals(this.asleep.get(next.group()), next.until())) {
			this.alarms.remove();
			next = this.alarms.peek();
		}
		return (next != null) ? next.until() - nanos : Long.MAX_VALUE;
	}

	/** In nanoseconds; the largest number if a job of the group must end before. */
	public long untilRoom(String group, long nanos) {
		if (roomInLimits(group, nanos) > 0) {
			return 0;
		}
		GroupSettings current = this.queue.settings();
		int concurrency = current.concurrency(group);
		if (current.isPaused(group) || (concurrency > 0 && this.queue.jobs(group) >= concurrency)) {
			return Long.MAX_VALUE;
		}
		RateLimit rate = current.rate(group);
		long untilStart = (rate == null) ? 0 : bucket(group, rate, nanos).until(fetched(group) + 1, nanos);
		return Math.max(untilStart, untilAsked(group, nanos));
	}

	/** The number of jobs of a group that may start by its limits; 0 or less for none. */
	int roomInLimits(String group, long nanos) {
		GroupSettings current = this.queue.settings();
		if (mustWait(group, nanos)) {
			return 0;
		}
		int concurrency = current.concurrency(group);
		int room = (concurrency > 0) ? concurrency - this.queue.jobs(group) : Integer.MAX_VALUE;
		if (this.queue.waits(nanos).containsKey(group)) {
			// Its wait is over, and one job may start
			room = Math.min(room, 1 - fetched(group));
		}
		RateLimit rate = current.rate(group);
		return (rate != null) ? Math.min(room, bucket(group, rate, nanos).tokens(nanos) - fetched(group)) : room;
	}

	/** Whether a group is paused, or one of its jobs has asked it to wait. */
	public boolean mustWait(String group, long nanos) {
		return this.queue.settings().isPaused(group) || untilAsked(group, nanos) > 0;
	}

	private long untilAsked(String group, long nanos) {
		return this.queue.waits(nanos).getOrDefault(group, nanos) - nanos;
	}

	private int fetched(String group) {
		Account account = this.queue.find(group);
		return (account != null) ? account.fetched() : 0;
	}

	/** The time until groups may start anything under the lease, in nanoseconds. */
	public long untilStarts(long nanos) {
		RateLimit rate = this.queue.settings().policy().limits().rate();
		return (rate != null) ? empty(rate, this.since).until(1, nanos) : 0;
	}

	private static TokenBucket empty(RateLimit rate, long nanos) {
		return new TokenBucket(rate.interval(1), rate.burst(0, 1), nanos);
	}

	/** The bucket of a group, not to be changed. */
	private TokenBucket bucket(String group, RateLimit rate, long nanos) {
		Bucket known = this.buckets.get(group);
		if (known == null) {
			return empty(rate, this.since);
		}
		if (!known.rate().equals(rate)) {
			known = new Bucket(rate, empty(rate, nanos));
			this.buckets.put(group, known);
		}
		return known.starts();
	}

	public void start(String group, long nanos) {
		RateLimit rate = this.queue.settings().rate(group);
		if (rate != null) {
			if (this.buckets.size() > this.dropFrom) {
				this.buckets.values().removeIf((bucket) -> bucket.starts().isFull(nanos));
				this.dropFrom = Math.max(MAX_NAMED, 2 * this.buckets.size());
			}
			this.buckets.computeIfAbsent(group, (key) -> new Bucket(rate, empty(rate, this.since)));
			bucket(group, rate, nanos).take(1, nanos);
		}
	}

	/** A job of a group has ended, so another one may start before the time. */
	public void end(String group) {
		if (this.asleep.remove(group) != null) {
			this.awake.add(group);
		}
	}

	/** Suspects, which take no turns, and jobs of groups paused during the call. */
	public List<FetchedJob> withoutRoom(List<FetchedJob> jobs, long nanos) {
		GroupSettings current = this.queue.settings();
		if (!current.areLimited() && this.queue.waits(nanos).isEmpty()) {
			return List.of();
		}
		Map<String, Integer> room = new HashMap<>();
		List<FetchedJob> without = new ArrayList<>();
		for (FetchedJob job : jobs) {
			String group = current.groupOf(job.id());
			int left = room.computeIfAbsent(group, (key) -> roomInLimits(key, nanos));
			if (left <= 0) {
				without.add(job);
			}
			room.put(group, left - 1);
		}
		return without;
	}

	/** Returns all that the storage has to know to give turns to groups. */
	public GroupTurns turns(Collection<String> completed, int jobs, long nanos) {
		GroupSettings current = this.queue.settings();
		if (!this.queue.areAny()) {
			return GroupTurns.OF_BEFORE;
		}
		Set<String> named = new LinkedHashSet<>();
		able().forEach((account) -> named.add(account.group()));
		completed.forEach((id) -> named.add(current.groupOf(id)));
		this.queue.active().stream().limit(MAX_NAMED).map(Account::group).forEach(named::add);
		List<GroupTurns.Use> uses = new ArrayList<>();
		named.stream().limit(MAX_NAMED).forEach((group) -> uses.add(use(group, nanos)));
		boolean others = !current.areLimited() && this.queue.waits(nanos).isEmpty();
		int answered = this.hasFound ? MAX_NAMED : Math.min(MAX_NAMED, Math.max(this.queue.threads(), jobs));
		return new GroupTurns(current.policy().separator(), others, this.queue.share(),
				Math.rint(this.queue.smallest() + this.offset), Math.rint(this.queue.enter() + this.offset),
				Math.rint(this.queue.charge()), answered, uses);
	}

	private GroupTurns.Use use(String group, long nanos) {
		Account account = this.queue.find(group);
		double used = (account != null) ? Math.max(account.at(nanos), this.queue.smallest()) : this.queue.smallest();
		return new GroupTurns.Use(group, Math.rint(used + this.offset), this.queue.jobs(group),
				this.queue.settings().weight(group), Math.max(0, roomInLimits(group, nanos)));
	}

}
