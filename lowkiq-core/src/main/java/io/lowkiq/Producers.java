package io.lowkiq;

import java.util.List;

/**
 * The traced producers that enqueued the payloads of a job. They belong to the job as a
 * whole: if only some of its payloads are performed, the others keep all producers.
 *
 * @param traces the first distinct ones, up to the configured maximum
 * @param more the number of further producers
 */
public record Producers(List<TraceParent> traces, long more) {

	/** No producer is known. */
	public static final Producers NONE = new Producers(List.of(), 0);

	public Producers {
		traces = List.copyOf(traces);
	}

}
