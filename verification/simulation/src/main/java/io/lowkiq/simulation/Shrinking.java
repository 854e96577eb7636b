package io.lowkiq.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Looks for the smallest run that still breaks a promise: without each fault and each
 * lasting fault of a node, with less work, and with fewer nodes.
 */
final class Shrinking {

	private static final long FOR_EVER = Long.MAX_VALUE;

	private static final int LEAST_WORK = 10;

	private final long end;

	private Options options;

	private SimulatedVerdict verdict;

	private final UnaryOperator<String> scripts;

	Shrinking(Options options, Duration longest, UnaryOperator<String> scripts) {
		this.scripts = scripts;
		this.end = System.nanoTime() + longest.toNanos();
		this.options = options;
		this.verdict = run(options);
	}

	private SimulatedVerdict run(Options options) {
		return new Run(options, FOR_EVER, false, this.scripts).perform();
	}

	SimulatedVerdict smallest() {
		int work = this.options.work() / 2;
		while (work >= LEAST_WORK && tries(this.options.work(work))) {
			work /= 2;
		}
		tries(this.options.nodes(this.options.nodes() - 1));
		List<Integer> removable = removable();
		for (int size = Math.max(1, removable.size() / 2); size > 0; size /= 2) {
			for (int from = 0; from < removable.size();) {
				List<Integer> some = removable.subList(from, Math.min(from + size, removable.size()));
				if (tries(this.options.without(some))) {
					removable = removable();
				}
				else {
					from += size;
				}
			}
		}
		return this.verdict;
	}

	/** The faults that are left, the last ones first, and the lasting ones of nodes. */
	private List<Integer> removable() {
		Plan plan = Plan.draw(this.options);
		List<Integer> numbers = new ArrayList<>();
		for (int place = 0; place < plan.endings().size(); place++) {
			if (plan.endings().get(place) != Plan.Ending.WELL) {
				numbers.add(-1 - place);
			}
		}
		for (int i = plan.faults().size() - 1; i >= 0; i--) {
			numbers.add(plan.faults().get(i).number());
		}
		return numbers;
	}

	/** Whether a smaller run still fails. */
	private boolean tries(Options smaller) {
		if (System.nanoTime() > this.end || smaller.nodes() < 1) {
			return false;
		}
		SimulatedVerdict tried = run(smaller);
		if (tried.isKept()) {
			return false;
		}
		this.options = smaller;
		this.verdict = tried;
		return true;
	}

}
