package io.lowkiq.test.probe;

/** The faults of a worker that a {@link WorkerProbe} can find. */
public enum Fault {

	/**
	 * Payloads that are delivered together lead to another end than the same payloads one
	 * after the other. How many wait together is chance.
	 */
	DEPENDS_ON_MERGING("independent of merging"),

	/**
	 * Payloads that are performed again, after a crash or a failure at any moment, lead
	 * to another end, or can't be performed any more.
	 */
	NOT_IDEMPOTENT("idempotent"),

	/**
	 * A call failed, the worker returned normally, and the effect is missing: nobody
	 * tries again.
	 */
	HIDES_FAILURES("reports failures"),

	/**
	 * A call failed after the worker had completed the payload, and its effect is
	 * missing: nobody tries again.
	 */
	COMPLETES_TOO_EARLY("completes payloads after their effects"),

	/**
	 * An owner that lost its lease in the middle of a run continues after a newer one has
	 * performed, and changes the end.
	 */
	IGNORES_TOKEN("respects the fencing token");

	private final String virtue;

	Fault(String virtue) {
		this.virtue = virtue;
	}

	/** The virtue of a worker without the fault. */
	String virtue() {
		return this.virtue;
	}

}
