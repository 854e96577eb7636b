package io.lowkiq.simulation;

import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;

/** A cluster in one JVM, by one seed. The same seed and choices make the same run. */
public final class Simulation {

	private final long seed;

	private long draw;

	private int nodes = 3;

	private Duration lease = Duration.ofMillis(2_500);

	private Duration runs = Duration.ofMinutes(2);

	private Faults faults = Faults.ALL;

	private List<Integer> without = List.of();

	private int work = 100;

	private List<Long> jobs = List.of();

	private long until = Long.MAX_VALUE;

	private boolean printing;

	private UnaryOperator<String> scripts = UnaryOperator.identity();

	private Simulation(long seed) {
		this.seed = seed;
		this.draw = seed;
	}

	/** A simulation. */
	public static Simulation seed(long seed) {
		return new Simulation(seed);
	}

	/** Takes the options that are drawn for another seed. */
	public Simulation draw(long draw) {
		this.draw = draw;
		return this;
	}

	/** Sets the number of nodes. */
	public Simulation nodes(int nodes) {
		this.nodes = nodes;
		return this;
	}

	/** Sets the lease duration: at least 1 s, 2.5 s by default. */
	public Simulation lease(Duration lease) {
		this.lease = lease;
		return this;
	}

	/** Sets what may be injected. */
	public Simulation faults(Faults faults) {
		this.faults = faults;
		return this;
	}

	/** Sets how long faults are injected. */
	public Simulation runs(Duration runs) {
		this.runs = runs;
		return this;
	}

	/**
	 * Does without some of the planned faults.
	 * @param numbers their numbers, from 1; -1, -2 … for the lasting fault of the first
	 * node, the second …
	 */
	public Simulation without(List<Integer> numbers) {
		this.without = List.copyOf(numbers);
		return this;
	}

	/** Does only so many percent of the work. */
	public Simulation work(int percent) {
		this.work = percent;
		return this;
	}

	/** Enqueues only some of the payloads. */
	public Simulation jobs(List<Long> numbers) {
		this.jobs = List.copyOf(numbers);
		return this;
	}

	/** Stops before a step. */
	public Simulation until(long step) {
		this.until = step;
		return this;
	}

	/** Prints the whole timeline. */
	public Simulation printing() {
		this.printing = true;
		return this;
	}

	/** Changes the scripts, to find out whether that is noticed. */
	public Simulation scripts(UnaryOperator<String> change) {
		this.scripts = change;
		return this;
	}

	/** Runs the cluster, and judges. */
	public SimulatedVerdict verdict() {
		return new Run(options(), this.until, this.printing, List.of(), this.scripts).perform();
	}

	/** Shrinks a run that breaks a promise as far as it still does, in so many steps. */
	public SimulatedVerdict smallest(long steps) {
		return new Shrinking(options(), steps, this.scripts).smallest();
	}

	private Options options() {
		return Options.draw(this.seed, this.draw, this.nodes, this.lease, this.runs, this.faults, this.without,
				this.work, this.jobs);
	}

}
