package io.lowkiq.engine.perform;

import org.jspecify.annotations.Nullable;

/** A part of a thread's state, as it was at first. Used by its thread only. */
@FunctionalInterface
public interface ThreadState {

	/**
	 * Returns why the run has failed, because it left open what only it could complete.
	 */
	@Nullable RuntimeException restore();

}
