package io.lowkiq.reliability.check;

import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.lowkiq.reliability.history.Event.Answer;
import io.lowkiq.reliability.history.FaultKind;

/**
 * The events of a history, in numbers.
 *
 * @param cutOff performs whose process ended first
 * @param merged payloads that were performed together with an earlier one of their id
 * @param duplicates performs of a payload that was performed to success before, and not
 * enqueued again after that
 * @param excused performs to success that might be repeated, because a fault touched the
 * call with their outcome
 * @param overlapsWithoutLease overlapping performs of one id of which one had lost its
 * lease
 * @param recoveries how long the shards of a dead or stopped node had no owner, in
 * milliseconds, ascending; without those during which another fault came
 * @param longestGap the longest time in which no perform began, in milliseconds
 * @param gathered performs of quiet ids that no fault and no failure held up
 * @param gatheredLate those of them that began more than 50 ms after the longest wait
 * @param followUps what followed jobs that were done, or may have been
 * @param withheld what workers enqueued on success of performs that failed, were cut off
 * or lost their lease
 */
public record Figures(long acknowledged, long uncertain, long performs, long failures, long cutOff, long merged,
		long dead, long duplicates, long excused, long overlapsWithoutLease, long fenced, long restored,
		Map<FaultKind, Integer> faults, List<Long> recoveries, long longestGap, long gathered, long gatheredLate,
		long followUps, long withheld) {

	private static final long LATE = Duration.ofMillis(50).toNanos();

	static Figures of(Ledger ledger, Settings settings) {
		Excuse excuse = new Excuse(ledger, settings);
		long excused = 0;
		long acknowledged = ledger.enqueued.values().stream().filter(Enqueued::acknowledged).count();
		long performs = 0;
		long failures = 0;
		long cutOff = 0;
		long merged = 0;
		long overlaps = 0;
		for (List<Perform> ofJob : ledger.performs.values()) {
			Set<Long> seen = new HashSet<>();
			for (Perform perform : ofJob) {
				performs++;
				failures += perform.failed() ? 1 : 0;
				cutOff += perform.ended ? 0 : 1;
				excused += (perform.success && excuse.covers(perform)) ? 1 : 0;
				int fresh = 0;
				for (long payload : perform.payloads) {
					fresh += seen.add(payload) ? 1 : 0;
				}
				merged += Math.max(0, fresh - 1);
			}
			overlaps += ExclusionCheck.overlaps(ofJob).size();
		}
		long[] duplicates = { 0 };
		DuplicateCheck.duplicates(ledger, (first, again) -> {
			boolean lost = Arrays.stream(first.payloads)
				.anyMatch((payload) -> first.leaves(payload) && again.contains(payload)
						&& !DuplicateCheck.enqueuedAgain(payload, first, ledger));
			duplicates[0] += lost ? 1 : 0;
		});
		long fenced = ledger.calls.values()
			.stream()
			.flatMap(List::stream)
			.filter((call) -> call.answer() == Answer.REFUSED)
			.count();
		long restored = ledger.leases.values()
			.stream()
			.flatMap(List::stream)
			.mapToLong((lease) -> lease.given().restored())
			.sum();
		Map<FaultKind, Integer> faults = new EnumMap<>(FaultKind.class);
		ledger.faults.forEach((fault) -> faults.merge(fault.kind(), 1, Integer::sum));
		List<Long> recoveries = Recovery.all(ledger)
			.stream()
			.filter(Recovery::clean)
			.map((recovery) -> recovery.nanos() / 1_000_000)
			.sorted()
			.toList();
		List<Long> delays = GatheringCheck.delays(ledger, settings).values().stream().toList();
		long followUps = ledger.followUps.values()
			.stream()
			.filter((followUp) -> !followUp.causes(ledger).isEmpty())
			.count();
		long withheld = ledger.followUps.values()
			.stream()
			.filter((followUp) -> followUp.perform() != null && followUp.causes(ledger).isEmpty())
			.count();
		return new Figures(acknowledged, ledger.enqueued.size() - acknowledged, performs, failures, cutOff, merged,
				ledger.dead.size(), duplicates[0], excused, overlaps, fenced, restored, faults, recoveries,
				longestGap(ledger), delays.size(), delays.stream().filter((delay) -> delay > LATE).count(), followUps,
				withheld);
	}

	private static long longestGap(Ledger ledger) {
		long[] starts = ledger.performs.values()
			.stream()
			.flatMap(List::stream)
			.mapToLong((perform) -> perform.start)
			.sorted()
			.toArray();
		long longest = 0;
		for (int i = 1; i < starts.length; i++) {
			longest = Math.max(longest, starts[i] - starts[i - 1]);
		}
		return longest / 1_000_000;
	}

	/** All faults together. */
	public int faultCount() {
		return this.faults.values().stream().mapToInt(Integer::intValue).sum();
	}

}
