package io.lowkiq.engine.schedule;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import io.lowkiq.Limits;
import io.lowkiq.RateLimit;
import io.lowkiq.store.GroupTurns;

/**
 * The running jobs of each group of a queue on a node, and how many may begin in one of
 * its shards. Counted anew for each fetch, so that nobody has to give anything back. Used
 * by one thread.
 */
public final class GroupUsage {

	/**
	 * The maximum number of groups named per call. Jobs of others that are fetched though
	 * they may not begin go back.
	 */
	private static final int MAX_NAMED = 5_000;

	/** The maximum number of waiting groups named because they have room again. */
	private static final int MAX_RETURNING = 500;

	/** The maximum number of paused groups named because a job of another went back. */
	private static final int MAX_PAUSED = 500;

	private final GroupSettings settings;

	private final GroupStarts starts;

	/** Until when some groups wait because a job has asked for it. */
	private final Map<String, Long> waiting;

	private final long nanos;

	/** The maximum number of jobs of one group that may run on the node. */
	private int most;

	private final Map<String, Integer> running = new HashMap<>();

	/** How many of the running jobs have been fetched in the shard and have not begun. */
	private final Map<String, Integer> fetched = new HashMap<>();

	/**
	 * The usage of a node on which nothing runs.
	 * @param settings the settings of the groups
	 * @param jobs the maximum number of jobs that the node performs at a time
	 * @param starts the starts that are saved up in the shard
	 * @param waiting until when some groups wait because a job has asked for it, by group
	 * @param nanos the present time
	 */
	public GroupUsage(GroupSettings settings, int jobs, GroupStarts starts, Map<String, Long> waiting, long nanos) {
		this.settings = settings;
		this.starts = starts;
		this.waiting = waiting;
		this.nanos = nanos;
		int maxShare = settings.policy().maxShare();
		this.most = (maxShare < 100) ? (int) Math.max(1, (long) jobs * maxShare / 100) : Integer.MAX_VALUE;
	}

	/**
	 * Counts a job that runs, or is about to.
	 * @param id its id
	 */
	public void add(String id) {
		this.running.merge(this.settings.groupOf(id), 1, Integer::sum);
	}

	/**
	 * Counts a job of the shard that has been fetched and has not begun. It is also
	 * {@linkplain #add added}.
	 * @param id its id
	 */
	public void addFetched(String id) {
		this.fetched.merge(this.settings.groupOf(id), 1, Integer::sum);
	}

	/**
	 * Counts jobs that a call under way may bring, of whatever group.
	 * @param jobs their maximum number
	 */
	public void reserve(int jobs) {
		if (this.settings.policy().maxShare() < 100) {
			this.most = Math.max(0, this.most - jobs);
		}
	}

	/**
	 * Whether a group without running jobs may begin one, as far as its share goes.
	 * @return false if calls under way may bring as many jobs as one group may have
	 */
	public boolean hasRoom() {
		return this.most > 0;
	}

	/**
	 * The number of jobs of a group that may begin by its limits.
	 * @param group the group; the one of ids without the separator has none
	 * @return 0 or less for none
	 */
	public int roomInLimits(String group) {
		if (this.settings.isPaused(group) || untilAsked(group) > 0) {
			return 0;
		}
		int concurrency = this.settings.concurrency(group);
		int room = (concurrency > 0) ? concurrency - running(group) : Integer.MAX_VALUE;
		RateLimit rate = this.settings.rate(group);
		return (rate != null) ? Math.min(room,
				this.starts.bucket(group, rate, this.nanos).tokens(this.nanos) - this.fetched.getOrDefault(group, 0))
				: room;
	}

	/** The time until a group has waited as long as a job has asked it to. */
	private long untilAsked(String group) {
		return this.waiting.getOrDefault(group, this.nanos) - this.nanos;
	}

	private int room(String group) {
		int share = (this.most < Integer.MAX_VALUE) ? this.most - running(group) : this.most;
		return Math.max(0, Math.min(share, roomInLimits(group)));
	}

	private int running(String group) {
		return this.running.getOrDefault(group, 0);
	}

	/**
	 * The time until a job of a group may begin.
	 * @param group the group
	 * @return nanoseconds, 0 if one may; the largest number if a job must begin or end
	 * before
	 */
	long untilRoom(String group) {
		if (room(group) > 0) {
			return 0;
		}
		return (running(group) < this.most) ? untilRoomInLimits(group) : Long.MAX_VALUE;
	}

	/**
	 * The time until a job of a group may begin by its limits.
	 * @param group the group
	 * @return nanoseconds, 0 if one may; the largest number if a job must end before
	 */
	public long untilRoomInLimits(String group) {
		if (roomInLimits(group) > 0) {
			return 0;
		}
		int concurrency = this.settings.concurrency(group);
		if (this.settings.isPaused(group) || (concurrency > 0 && running(group) >= concurrency)) {
			return Long.MAX_VALUE;
		}
		RateLimit rate = this.settings.rate(group);
		long untilStart = (rate == null) ? 0 : this.starts.bucket(group, rate, this.nanos)
			.until(this.fetched.getOrDefault(group, 0) + 1, this.nanos);
		return Math.max(untilStart, untilAsked(group));
	}

	/**
	 * The time until one of the groups that wait has room again.
	 * @param full the groups
	 * @return nanoseconds, 0 if one has; the largest number if a job must begin or end
	 * before
	 */
	public long untilRoom(FullGroups full) {
		long until = lookAt(full).stream().mapToLong(this::untilRoom).min().orElse(Long.MAX_VALUE);
		return Math.min(until, full.untilAwake(this.nanos));
	}

	/**
	 * The groups that may have room. Those that only wait for a time sleep until then.
	 */
	private Set<String> lookAt(FullGroups full) {
		Set<String> awake = full.awake(this.settings, this.nanos);
		for (String group : List.copyOf(awake)) {
			long until = untilRoom(group);
			// What is fetched may go back, and leave room before
			if (until > 0 && until < Long.MAX_VALUE && !this.fetched.containsKey(group)) {
				full.sleep(group, this.nanos + until);
			}
		}
		return awake;
	}

	/**
	 * Returns all that the storage has to know to give turns to groups.
	 * @param full the groups that wait until they are named with room
	 * @param found the groups of jobs that were fetched and could not begin
	 * @return the turns
	 */
	public GroupTurns turns(FullGroups full, Set<String> found) {
		if (!this.settings.policy().isAny()) {
			return GroupTurns.OF_BEFORE;
		}
		Set<String> named = new LinkedHashSet<>(this.running.keySet());
		named.addAll(this.settings.policy().weights().keySet());
		if (this.settings.areLimited()) {
			// It has more room than others
			named.add("");
		}
		lookAt(full).stream().filter((group) -> room(group) > 0).limit(MAX_RETURNING).forEach(named::add);
		Stream.of(found, this.waiting.keySet(), this.starts.used(this.nanos), this.settings.named())
			.flatMap(Collection::stream)
			.filter((group) -> !full.contains(group))
			.forEach(named::add);
		if (found.stream().anyMatch(this.settings::isPaused)) {
			named.addAll(full.nextPaused(this.settings.paused(), MAX_PAUSED));
		}
		List<GroupTurns.Use> uses = new ArrayList<>();
		named.stream()
			.limit(MAX_NAMED)
			.forEach((group) -> uses
				.add(new GroupTurns.Use(group, running(group), this.settings.weight(group), room(group))));
		return new GroupTurns(this.settings.policy().separator(), roomOfOthers(), uses);
	}

	/** Of any group with a name that nothing is known of. */
	private int roomOfOthers() {
		Limits limits = this.settings.policy().limits();
		int room = (limits.concurrency() > 0) ? Math.min(this.most, limits.concurrency()) : this.most;
		RateLimit rate = limits.rate();
		return (rate != null) ? Math.min(room, this.starts.unknown(rate).tokens(this.nanos)) : room;
	}

}
