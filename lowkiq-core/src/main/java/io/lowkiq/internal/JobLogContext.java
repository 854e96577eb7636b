package io.lowkiq.internal;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * Puts the job of the current thread into the logging context (MDC), as {@value #QUEUE}
 * and {@value #ID}, and in a line about a failure its class, as {@value #ERROR}. It must
 * be ended on the same thread, which restores the whole context as it was before.
 */
public final class JobLogContext {

	/** The key of the queue in the context. */
	public static final String QUEUE = "lowkiq.queue";

	/** The key of the job's id in the context. */
	public static final String ID = "lowkiq.id";

	/** The key of the class of a failure. */
	public static final String ERROR = "lowkiq.error";

	private final @Nullable Map<String, String> before = MDC.getCopyOfContextMap();

	private JobLogContext() {
	}

	/** Sets a job that has failed. */
	public static JobLogContext begin(String queue, String id, Throwable error) {
		JobLogContext context = begin(queue, List.of(id));
		set(ERROR, error.getClass().getName());
		return context;
	}

	/** Sets the queue of some jobs, and the id if there is only one. */
	public static JobLogContext begin(String queue, List<String> ids) {
		JobLogContext context = new JobLogContext();
		set(QUEUE, queue);
		set(ID, (ids.size() == 1) ? LogText.of(ids.get(0)) : null);
		return context;
	}

	/** Ends the context and restores the previous one, whatever was added to it. */
	public void end() {
		if (this.before == null || this.before.isEmpty()) {
			MDC.clear();
		}
		else {
			MDC.setContextMap(this.before);
		}
	}

	private static void set(String key, @Nullable String value) {
		if (value != null) {
			MDC.put(key, value);
		}
		else {
			MDC.remove(key);
		}
	}

}
