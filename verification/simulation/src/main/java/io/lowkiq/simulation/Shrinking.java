package io.lowkiq.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * Looks for the smallest run that still breaks the same rule: with fewer payloads and
 * nodes, and without each fault and each lasting fault of a node.
 */
final class Shrinking {

	private static final long FOR_EVER = Long.MAX_VALUE;

	/** How many steps all runs may still have. */
	private long left;

	private final UnaryOperator<String> scripts;

	/** A smaller run that breaks another rule is not this one. */
	private final String rule;

	private Options options;

	private SimulatedVerdict verdict;

	Shrinking(Options options, long steps, UnaryOperator<String> scripts) {
		this.scripts = scripts;
		this.left = steps;
		this.options = options;
		this.verdict = run(options);
		this.rule = this.verdict.rules().stream().findFirst().orElse("");
	}

	private SimulatedVerdict run(Options tried, String... about) {
		return new Run(tried, FOR_EVER, false, List.of(about), this.scripts).perform();
	}

	SimulatedVerdict smallest() {
		int before;
		do {
			before = size();
			shrink(faults(), (left) -> this.options.without(without(faults(), left)));
			shrink(this.verdict.jobs(), (left) -> this.options.jobs(left));
			tries(this.options.nodes(this.options.nodes() - 1));
		}
		while (size() < before && this.left > 0);
		return run(this.options, this.verdict.namesOf(this.rule));
	}

	private int size() {
		return faults().size() + this.verdict.jobs().size() + this.options.nodes();
	}

	/** Leaves out halves of some things, then smaller parts, as long as a run fails. */
	private <T> void shrink(List<T> all, Function<List<T>, Options> with) {
		List<T> left = all;
		for (int size = (left.size() + 1) / 2; size > 0; size = (size > 1) ? (size + 1) / 2 : 0) {
			for (int from = 0; from < left.size();) {
				List<T> fewer = without(left, left.subList(from, Math.min(from + size, left.size())));
				if (!fewer.isEmpty() && tries(with.apply(fewer))) {
					left = fewer;
				}
				else {
					from += size;
				}
			}
		}
	}

	private static <T> List<T> without(List<T> all, List<T> some) {
		List<T> left = new ArrayList<>(all);
		left.removeAll(some);
		return left;
	}

	/** The faults that are left, the last ones first, and the lasting ones of nodes. */
	private List<Integer> faults() {
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
		if (this.left <= 0 || smaller.nodes() < 1) {
			return false;
		}
		SimulatedVerdict tried = run(smaller);
		this.left -= tried.steps();
		System.out.printf(Locale.ROOT, "Shrinking: %d faults, %d payloads, %d nodes; %d steps left%n", faults().size(),
				this.verdict.jobs().size(), this.options.nodes(), this.left);
		if (!tried.rules().contains(this.rule)) {
			return false;
		}
		this.options = smaller;
		this.verdict = tried;
		return true;
	}

}
