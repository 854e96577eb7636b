package io.lowkiq.reliability.check;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * A payload that was performed to success is performed again only if the store could not
 * be told, because of a fault of the node or of Redis; or if it was enqueued again,
 * because the answer of the enqueue was lost.
 */
final class DuplicateCheck implements Check {

	@Override
	public void check(Ledger ledger, Settings settings, Consumer<Violation> violations) {
		duplicates(ledger, (first, again) -> {
			for (long payload : first.payloads) {
				if (again.contains(payload) && !explained(payload, first, again, ledger, settings)) {
					violations.accept(new Violation(Rule.DUPLICATES_EXPLAINED,
							"Payload %d again without a fault: %s, then %s".formatted(payload, first, again)));
				}
			}
		});
	}

	/**
	 * Names each perform to success together with the next perform of one of its
	 * payloads.
	 */
	static void duplicates(Ledger ledger, BiConsumer<Perform, Perform> consumer) {
		for (List<Perform> performs : ledger.performs.values()) {
			Map<Long, Perform> succeeded = new HashMap<>();
			for (Perform perform : performs) {
				for (long payload : perform.payloads) {
					Perform first = succeeded.get(payload);
					if (first != null) {
						consumer.accept(first, perform);
						break;
					}
				}
				if (perform.success) {
					for (long payload : perform.payloads) {
						succeeded.put(payload, perform);
					}
				}
			}
		}
	}

	private static boolean explained(long payload, Perform first, Perform again, Ledger ledger, Settings settings) {
		Enqueued enqueued = ledger.enqueued.get(payload);
		boolean enqueuedAgain = enqueued != null && (enqueued.attempts > 1 || ledger.faults.stream()
			.anyMatch((fault) -> fault.kind().losesAnswers() && fault.hits(enqueued.process)
					&& fault.touches(enqueued.called, enqueued.returned)));
		if (enqueuedAgain || first.settlement == Perform.Settlement.APPLIED) {
			return enqueuedAgain;
		}
		long from = first.start - settings.lease().toNanos();
		return ledger.faults.stream()
			.anyMatch((fault) -> fault.hits(first.process) && fault.touches(from, Math.max(again.start, first.end)));
	}

}
