package io.lowkiq.reliability.program;

/**
 * The payload of the jobs.
 *
 * @param number unique over all producers
 * @param kind what becomes of its perform
 */
public record Change(long number, Kind kind) {

	/** The behavior of a run. */
	public enum Kind {

		/** It fails now and then. */
		PLAIN,

		/** On success, its worker enqueues another one. Else as a plain one. */
		FOLLOWED,

		/** It always fails, so it ends in the morgue. */
		BAD,

		/** It kills its JVM, so it ends in the morgue. */
		POISON,

		/** It throws what its worker buries. */
		BURIED,

		/** It throws what its worker discards. */
		DISCARDED,

		/** It can't be read every other time, as if the nodes had different versions. */
		PUZZLE

	}
}
