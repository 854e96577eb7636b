package io.lowkiq.engine.perform;

import java.util.List;
import java.util.function.BiConsumer;

import io.lowkiq.LowkiqClient;
import io.lowkiq.store.job.NewPayload;

/** Makes clients for workers that enqueue nothing before a job is done. Thread-safe. */
@FunctionalInterface
public interface FollowUpClients {

	/** A client that checks and encodes payloads, and keeps them for later. */
	LowkiqClient keeping(BiConsumer<String, List<NewPayload>> keep);

}
