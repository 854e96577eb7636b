package io.lowkiq.reliability.chain;

/**
 * A step of a chain.
 *
 * @param chain the number of the chain
 * @param step the number of the step, from 1 on
 * @param isWrong whether it was enqueued by a perform that failed
 */
public record ChainStep(int chain, int step, boolean isWrong) {

	/** How many steps a chain has. */
	static final int STEPS = 5;

	/** The queues, which the steps go through in turn. */
	static final String[] QUEUES = { "first", "second", "third" };

	/** The last step of chains that fail for good. */
	private static final int FAILING_STEP = 3;

	/** The queue of the step. */
	String queue() {
		return QUEUES[(this.step - 1) % QUEUES.length];
	}

	/** The step after this one. */
	ChainStep next() {
		return new ChainStep(this.chain, this.step + 1, false);
	}

	/** The id of the chain's jobs. */
	String id() {
		return "chain-" + this.chain;
	}

	/** Whether the workers enqueue the next steps; otherwise the producer names them. */
	boolean isByWorker() {
		return this.chain % 2 == 1;
	}

	/** Whether it fails at first. */
	boolean failsOnce() {
		return this.chain % 5 == 3 && this.step % 2 == 0;
	}

	/** Whether it fails for good. */
	boolean failsForGood() {
		return this.chain % 50 < 2 && this.step == FAILING_STEP;
	}

	/** The last step of the chain that is performed. */
	static int lastOf(int chain) {
		return new ChainStep(chain, FAILING_STEP, false).failsForGood() ? FAILING_STEP : STEPS;
	}

}
