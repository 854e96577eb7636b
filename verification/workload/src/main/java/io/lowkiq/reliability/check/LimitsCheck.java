package io.lowkiq.reliability.check;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import io.lowkiq.GroupPolicy;
import io.lowkiq.Limits;
import io.lowkiq.RateLimit;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.reliability.check.Ledger.Job;
import io.lowkiq.reliability.history.Event.Action;
import io.lowkiq.reliability.history.FaultKind;
import org.jspecify.annotations.Nullable;

/**
 * The limits of queues, of their shards and of groups, counted from the runs alone. No
 * more run at a time than the limit, as far as their leases hold. In no time do more
 * begin than the rate brings in that time, and the burst. An operator may pause a group,
 * or let one job of it run at a time: what is fetched {@link #NOTICED} after that keeps
 * to it. A failover may lose a lease, so nothing is judged for a lease duration after it.
 * A node that stood still between a fetch and a run began the run earlier than it says,
 * so that start isn't counted.
 */
final class LimitsCheck implements Check {

	private static final long SAVED_BY_DEFAULT = Duration.ofMillis(100).toNanos();

	/**
	 * All nodes know by then what was set for a group: they ask every 2.5 s, and again
	 * after a call without an answer.
	 */
	private static final long NOTICED = Duration.ofSeconds(5).toNanos();

	@Override
	public void check(Ledger ledger, Settings settings, Consumer<Violation> violations) {
		Map<Scope, List<Perform>> runs = new LinkedHashMap<>();
		ledger.performs.forEach((job, performs) -> {
			RegisteredWorker.Settings queue = settings.queues().get(job.queue());
			if (queue != null) {
				performs.forEach((perform) -> scopes(queue, perform)
					.forEach((scope) -> runs.computeIfAbsent(scope, (missing) -> new ArrayList<>()).add(perform)));
			}
		});
		runs.forEach((scope, performs) -> {
			performs.sort(Comparator.comparingLong((perform) -> perform.start));
			checkConcurrency(scope, performs, ledger, settings, violations);
			checkRate(scope, performs, ledger, settings, violations);
		});
	}

	private static List<Scope> scopes(RegisteredWorker.Settings queue, Perform perform) {
		List<Scope> scopes = new ArrayList<>();
		String name = perform.shard.queue();
		if (!queue.limits().equals(Limits.NONE)) {
			scopes.add(Scope.whole("queue " + name, queue.limits(), queue.shards()));
			scopes.add(Scope.shard("shard " + perform.shard, queue.limits(), perform.shard.index(), queue.shards()));
		}
		GroupPolicy groups = queue.groups();
		int end = groups.oneShardPerGroup() ? perform.id.indexOf(groups.separator()) : -1;
		if (end > 0) {
			scopes.add(Scope.group(new Job(name, perform.id.substring(0, end)), groups.limits()));
		}
		return scopes;
	}

	private static void checkConcurrency(Scope scope, List<Perform> performs, Ledger ledger, Settings settings,
			Consumer<Violation> violations) {
		if (scope.concurrency() == 0 && !ledger.actions.containsKey(scope.group())) {
			return;
		}
		List<Perform> running = new ArrayList<>();
		for (Perform perform : performs) {
			long at = perform.start;
			running.removeIf((earlier) -> earlier.end <= at);
			running.add(perform);
			if (!ExclusionCheck.held(perform, at, ledger) || ExclusionCheck.isForgotten(at, ledger, settings)) {
				continue;
			}
			if (isSet(Action.PAUSE_GROUP, scope, perform, ledger)) {
				violations
					.accept(new Violation(Rule.PAUSE, "Begun while %s is paused: %s".formatted(scope.name(), perform)));
			}
			long count = running.stream().filter((each) -> ExclusionCheck.held(each, at, ledger)).count();
			int limit = isSet(Action.LIMIT_GROUP, scope, perform, ledger) ? 1 : scope.concurrency();
			if (limit > 0 && count > limit) {
				violations.accept(new Violation(Rule.CONCURRENCY,
						"%d runs at a time, though %s has %d: %s".formatted(count, scope.name(), limit, perform)));
			}
		}
	}

	/**
	 * Whether all nodes knew of a setting when a job was fetched, and it was not reset.
	 */
	private static boolean isSet(Action action, Scope scope, Perform perform, Ledger ledger) {
		List<Acted> acted = ledger.actions.getOrDefault(scope.group(), List.of());
		for (Acted set : acted) {
			if (set.action() == action && set.returned() != Long.MAX_VALUE
					&& perform.fetched > set.returned() + NOTICED) {
				boolean isReset = acted.stream()
					.anyMatch((other) -> other.called() > set.called() && other.called() <= perform.start);
				if (!isReset && !ledger.faulty(FaultKind::forgets, "*", set.called() - Fault.FORGETS, perform.start)) {
					return true;
				}
			}
		}
		return false;
	}

	/** As a bucket that is full at first: it never lacks a token if no time has more. */
	private static void checkRate(Scope scope, List<Perform> performs, Ledger ledger, Settings settings,
			Consumer<Violation> violations) {
		if (scope.starts() == 0) {
			return;
		}
		long full = scope.burst() * scope.token() + settings.delay().toNanos() * scope.starts();
		long saved = full;
		long last = 0;
		for (Perform perform : performs) {
			if (ExclusionCheck.isForgotten(perform.start, ledger, settings)) {
				saved = full;
				last = perform.start;
				continue;
			}
			if (!ExclusionCheck.held(perform, perform.start, ledger) || stoodStill(perform, ledger)) {
				continue;
			}
			long brought = Math.min(perform.start - last, full / scope.starts() + 1) * scope.starts();
			saved = Math.min(full, saved + brought) - scope.token();
			last = perform.start;
			if (saved < 0) {
				violations.accept(new Violation(Rule.RATE,
						"More starts than the rate and the burst of %s allow: %s".formatted(scope, perform)));
				saved = full;
			}
		}
	}

	private static boolean stoodStill(Perform perform, Ledger ledger) {
		return ledger.faulty((kind) -> kind == FaultKind.STOP || kind == FaultKind.STALL, perform.process,
				perform.fetched, perform.start);
	}

	/**
	 * Something that has limits.
	 *
	 * @param group the queue and the name of a group; nothing that exists if it is none
	 * @param concurrency how many may run at a time; 0 for no limit
	 * @param starts in each nanosecond, it saves up this part of a token; 0 for no limit
	 * @param token what a run takes
	 * @param burst how many tokens it saves up
	 */
	private record Scope(String name, Job group, int concurrency, long starts, long token, long burst) {

		private static final Job NO_GROUP = new Job("", "");

		static Scope whole(String name, Limits limits, int shards) {
			return of(name, NO_GROUP, limits, limits.concurrency(), 1, burst(limits.rate(), shards));
		}

		static Scope group(Job group, Limits limits) {
			return of("group '%s' of %s".formatted(group.id(), group.queue()), group, limits, limits.concurrency(), 1,
					burst(limits.rate(), 1));
		}

		/** The shares of all shards add up to the limit. */
		static Scope shard(String name, Limits limits, long index, long shards) {
			long burst = burst(limits.rate(), shards);
			return of(name, NO_GROUP, limits, (int) share(limits.concurrency(), index, shards), shards,
					share(burst, index, shards));
		}

		private static Scope of(String name, Job group, Limits limits, int concurrency, long parts, long burst) {
			RateLimit rate = limits.rate();
			return (rate == null) ? new Scope(name, group, concurrency, 0, 0, 0)
					: new Scope(name, group, concurrency, rate.starts(), rate.period().toNanos() * parts, burst);
		}

		private static long share(long total, long index, long shards) {
			return (index + 1) * total / shards - index * total / shards;
		}

		private static long burst(@Nullable RateLimit rate, long shards) {
			if (rate == null) {
				return 0;
			}
			return (rate.burst() != 0) ? rate.burst()
					: Math.max(shards, rate.starts() * SAVED_BY_DEFAULT / rate.period().toNanos());
		}

	}

}
