package io.lowkiq.store;

import java.util.Map;

import io.lowkiq.StoreException;

/**
 * The store's answer to {@link ShardStore#enqueueAll}.
 *
 * @param problems why payloads were refused, or are not confirmed, by their position in
 * the list; empty if all are enqueued
 */
public record BatchResult(int merged, Map<Integer, StoreException> problems) {

	public BatchResult {
		problems = Map.copyOf(problems);
	}

}
