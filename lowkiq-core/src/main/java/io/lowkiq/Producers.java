package io.lowkiq;

import java.util.List;

/**
 * Who enqueued the payloads of a job, as far as the producers are traced. Belongs to the
 * job as a whole: where only some of its payloads are performed, the rest keeps all.
 *
 * @param traces the first ones, as many as the producers wanted to be kept, each once
 * @param more how many more there were
 */
public record Producers(List<TraceParent> traces, long more) {

	/** No producer is known. */
	public static final Producers NONE = new Producers(List.of(), 0);

	public Producers {
		traces = List.copyOf(traces);
	}

}
