package io.lowkiq.simulation;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lowkiq.store.inspection.JobQuery.JobList;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.store.job.Shard;
import org.jspecify.annotations.Nullable;

/**
 * Watches the calls at Redis that give leases, use them, and give them back. Epochs grow,
 * and a session loses a shard only to another that names it. Only calls under the last
 * lease are applied, in their order and once, and their owner knows of all busy jobs. A
 * shard that is free, or that another session just got, has none. A crash is counted only
 * if a session has lost the shard to another one.
 */
final class LeaseCheck {

	private final EndCheck contents;

	private final Consumer<String> problems;

	/** The last lease of each shard, as far as Redis has not forgotten it. */
	private final Map<Shard, Lease> last = new HashMap<>();

	/**
	 * A lease.
	 *
	 * @param session whose it is; empty after it was given back
	 * @param sequence the number of the last call that was applied
	 */
	private record Lease(String session, long epoch, long sequence) {
	}

	/**
	 * A call of an owner, as complete-and-fetch.lua has it.
	 *
	 * @param known of how many busy jobs the owner knows
	 */
	record OwnersCall(String session, long epoch, long sequence, int known) {

		static OwnersCall of(byte[][] arguments) {
			ByteBuffer packed = ByteBuffer.wrap(arguments[1]);
			long epoch = (long) packed.getDouble();
			long sequence = (long) packed.getDouble();
			int known = packed.getInt();
			byte[] session = new byte[packed.position(packed.position() + 2 * Integer.BYTES + 1).getInt()];
			packed.get(session);
			return new OwnersCall(new String(session, StandardCharsets.UTF_8), epoch, sequence, known);
		}

	}

	/**
	 * A shard as far as it matters.
	 *
	 * @param owner the session that holds it; null if it is free
	 */
	private record Look(@Nullable String owner, long busy) {
	}

	LeaseCheck(EndCheck contents, Consumer<String> problems) {
		this.contents = contents;
		this.problems = problems;
	}

	/** Redis has forgotten calls. */
	void forget() {
		this.last.clear();
	}

	/** Looks at a shard before a call; returns what looks at the reply. */
	Consumer<List<?>> begin(Shard shard, String task, byte[][] arguments) {
		return switch (task) {
			case "give a lease" -> {
				Runnable change = beginChange(shard);
				yield (reply) -> {
					change.run();
					given(shard, arguments, reply);
				};
			}
			case "complete and fetch jobs" -> {
				long busy = this.contents.busy(shard);
				yield (reply) -> used(shard, OwnersCall.of(arguments), busy, reply);
			}
			case "take a lease back" -> {
				Runnable change = beginChange(shard);
				yield (reply) -> {
					change.run();
					returned(shard, arguments, reply);
				};
			}
			case "close a shard", "open a shard", "delete all of a shard" -> (reply) -> this.last.remove(shard);
			default -> (reply) -> {
			};
		};
	}

	private void given(Shard shard, byte[][] arguments, List<?> reply) {
		if (number(reply, 0) != 1) {
			return;
		}
		String session = text(arguments[1]);
		String from = text(arguments[2]);
		Lease lease = new Lease(session, number(reply, 1), 0);
		Lease before = this.last.put(shard, lease);
		if (before == null) {
			return;
		}
		if (lease.epoch() <= before.epoch()) {
			report("EPOCH_NOT_LARGER", shard, lease, before);
		}
		if (!List.of("", session, from).contains(before.session())) {
			report("LEASE_TAKEN_FROM_ANOTHER", shard, lease, before);
		}
	}

	private void used(Shard shard, OwnersCall call, long busy, List<?> reply) {
		if (number(reply, 2) != 0) {
			return;
		}
		Lease lease = new Lease(call.session(), call.epoch(), call.sequence());
		Lease before = this.last.put(shard, lease);
		if (before != null && !lease.equals(new Lease(before.session(), before.epoch(), before.sequence() + 1))) {
			report("CALL_OUT_OF_TURN", shard, lease, before);
		}
		if (call.known() != busy) {
			report("BUSY_JOBS_UNKNOWN", shard, call, busy);
		}
	}

	private void returned(Shard shard, byte[][] arguments, List<?> reply) {
		if (number(reply, 0) != 1) {
			return;
		}
		Lease lease = new Lease(text(arguments[1]), Long.parseLong(text(arguments[2])),
				Long.parseLong(text(arguments[3])));
		Lease before = this.last.put(shard, new Lease("", lease.epoch(), lease.sequence()));
		if (before != null && (!before.session().equals(lease.session()) || before.epoch() != lease.epoch()
				|| before.sequence() >= lease.sequence())) {
			report("CALL_OUT_OF_TURN", shard, lease, before);
		}
	}

	private Runnable beginChange(Shard shard) {
		Look before = look(shard);
		Set<String> busy = (before.busy() > 0) ? ids(shard) : Set.of();
		long crashes = crashes(shard, busy);
		return () -> {
			Look after = look(shard);
			checkBusy(shard, before, after);
			checkCrashes(shard, before, after, crashes(shard, busy) - crashes);
		};
	}

	private Look look(Shard shard) {
		ShardCounts counts = this.contents.counts(shard);
		return new Look(counts.session(), counts.busy());
	}

	private Set<String> ids(Shard shard) {
		return this.contents.list(shard, JobList.BUSY).stream().map(JobView::id).collect(Collectors.toSet());
	}

	/**
	 * The sum of the crashes that jobs count: only of busy ones, since others can't count
	 * more.
	 */
	private long crashes(Shard shard, Set<String> busy) {
		return busy.isEmpty() ? 0
				: Stream.of(JobList.QUEUED, JobList.BUSY)
					.flatMap((list) -> this.contents.list(shard, list).stream())
					.filter((job) -> busy.contains(job.id()))
					.mapToLong(JobView::crashes)
					.sum();
	}

	private void checkBusy(Shard shard, Look before, Look after) {
		if (after.busy() > 0 && (after.owner() == null || isOthers(before, after))) {
			report("BUSY_WITHOUT_OWNER", shard, after, before);
		}
	}

	private void checkCrashes(Shard shard, Look before, Look after, long more) {
		if (more > 0 && (before.owner() == null || after.owner() == null || !isOthers(before, after))) {
			report("CRASH_WITHOUT_CAUSE", shard, after, before);
		}
	}

	private static boolean isOthers(Look before, Look after) {
		return !Objects.equals(before.owner(), after.owner());
	}

	private void report(String rule, Shard shard, Object now, Object before) {
		this.problems.accept("%s: %s has %s after %s".formatted(rule, shard, now, before));
	}

	private static String text(byte[] argument) {
		return new String(argument, StandardCharsets.UTF_8);
	}

	private static long number(List<?> reply, int place) {
		return (Long) Objects.requireNonNull(reply.get(place));
	}

}
