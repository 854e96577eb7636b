package io.lowkiq.engine.lease;

/** A node's uncertainty about the last call under a lease. */
public enum CallUncertainty {

	/** The call was answered. */
	NONE,

	/** The answer was lost. */
	UNANSWERED,

	/** The call was refused because the store remembers other calls than this node. */
	OUT_OF_STEP

}
