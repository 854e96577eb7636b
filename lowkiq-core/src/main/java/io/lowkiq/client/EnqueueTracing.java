package io.lowkiq.client;

import java.util.function.Consumer;

import io.lowkiq.EnqueueInterceptor;
import io.lowkiq.store.job.TracedProducer;
import org.jspecify.annotations.Nullable;

/** Traces enqueues. Thread-safe. */
@FunctionalInterface
public interface EnqueueTracing {

	EnqueueTracing NONE = (call, enqueue) -> enqueue.accept(null);

	/**
	 * Makes an enqueue, on the thread that enqueues.
	 * @param enqueue to be called once, with its producer, or null if that is not traced;
	 * what it throws is thrown on
	 */
	void trace(EnqueueInterceptor.Call call, Consumer<@Nullable TracedProducer> enqueue);

}
