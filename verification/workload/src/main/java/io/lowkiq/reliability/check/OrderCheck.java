package io.lowkiq.reliability.check;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * I2: a worker gets payloads ascending by score; one with the default score does not come
 * before one of the same id whose enqueue had returned when its own began. The exception
 * is a payload that went to the morgue unread, or was replaced by a newer one, and came
 * back because a failover forgot that.
 */
final class OrderCheck implements Check {

	/** Leaves room for the place in a run. */
	private static final long PLACES = 1L << 20;

	@Override
	public void check(Ledger ledger, Settings settings, Consumer<Violation> violations) {
		Map<Ledger.Job, List<Enqueued>> byJob = new HashMap<>();
		ledger.enqueued.values()
			.forEach((enqueued) -> byJob
				.computeIfAbsent(new Ledger.Job(enqueued.queue, enqueued.id), (job) -> new ArrayList<>())
				.add(enqueued));
		Excuse excuse = new Excuse(ledger, settings);
		ledger.performs.forEach((job, performs) -> {
			performs.forEach((perform) -> checkAscending(perform, violations));
			checkFirstPlaces(byJob.getOrDefault(job, List.of()), performs, excuse, violations);
		});
	}

	private static void checkAscending(Perform perform, Consumer<Violation> violations) {
		for (int i = 1; i < perform.scores.length; i++) {
			if (perform.scores[i] < perform.scores[i - 1]) {
				violations.accept(new Violation(Rule.ORDER, "Not ascending: " + perform));
			}
		}
	}

	private static void checkFirstPlaces(List<Enqueued> enqueued, List<Perform> performs, Excuse excuse,
			Consumer<Violation> violations) {
		Map<Long, Long> first = firstPlaces(performs);
		List<Enqueued> byCall = enqueued.stream()
			.filter((one) -> one.defaultScore && !one.repeated() && first.containsKey(one.payload))
			.sorted(Comparator.comparingLong(Enqueued::called))
			.toList();
		List<Enqueued> byReturn = enqueued.stream()
			.filter((one) -> one.acknowledged() && !one.repeated() && first.containsKey(one.payload))
			.filter((one) -> !excuse.cameBack(one, performs.get((int) (first.getOrDefault(one.payload, 0L) / PLACES)),
					performs))
			.sorted(Comparator.comparingLong(Enqueued::returned))
			.toList();
		int next = 0;
		long latest = -1;
		Enqueued latestEnqueued = null;
		for (Enqueued one : byCall) {
			while (next < byReturn.size() && byReturn.get(next).returned() < one.called()) {
				Enqueued before = byReturn.get(next++);
				long place = first.getOrDefault(before.payload, -1L);
				if (place > latest) {
					latest = place;
					latestEnqueued = before;
				}
			}
			if (first.getOrDefault(one.payload, -1L) < latest) {
				violations.accept(new Violation(Rule.ORDER,
						"%s was performed before %s: first %s, then %s".formatted(one, latestEnqueued,
								performs.get((int) (first.getOrDefault(one.payload, 0L) / PLACES)),
								performs.get((int) (latest / PLACES)))));
			}
		}
	}

	private static Map<Long, Long> firstPlaces(List<Perform> performs) {
		Map<Long, Long> first = new HashMap<>();
		for (int i = 0; i < performs.size(); i++) {
			long[] payloads = performs.get(i).payloads;
			for (int place = 0; place < payloads.length; place++) {
				first.putIfAbsent(payloads[place], i * PLACES + place);
			}
		}
		return first;
	}

}
