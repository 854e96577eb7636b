package io.lowkiq.sample.orders;

import java.math.BigDecimal;

/**
 * An order as the side system has it at one version: the payload of the queue.
 *
 * @param version grows with every change of the order
 */
record OrderSnapshot(long version, String status, BigDecimal amount) {

	/**
	 * The place of this snapshot among those of its order.
	 * @return the version, exact as a double up to 2^53
	 */
	double score() {
		return (double) this.version;
	}

}
