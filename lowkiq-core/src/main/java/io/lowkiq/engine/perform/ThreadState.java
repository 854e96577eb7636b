package io.lowkiq.engine.perform;

import org.jspecify.annotations.Nullable;

/**
 * A part of the state of a performing thread, as it was when the thread began. Used by
 * its thread only.
 */
@FunctionalInterface
public interface ThreadState {

	/**
	 * Returns why the run has failed, because it left open what only it could complete.
	 */
	@Nullable RuntimeException restore();

}
