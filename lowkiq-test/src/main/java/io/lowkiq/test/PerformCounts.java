package io.lowkiq.test;

/**
 * How much was performed since the store was last emptied.
 *
 * @param performs how often a worker was called, with one id or with a batch
 * @param done ids done
 * @param failed failures of ids
 * @param buried payloads that went to the morgue
 */
public record PerformCounts(long performs, long done, long failed, long buried) {

	static final PerformCounts NONE = new PerformCounts(0, 0, 0, 0);

	PerformCounts plus(PerformCounts more) {
		return new PerformCounts(this.performs + more.performs, this.done + more.done, this.failed + more.failed,
				this.buried + more.buried);
	}

}
