package io.lowkiq.store;

import java.util.Map;

import io.lowkiq.StoreException;

/** Why payloads were refused, or are not confirmed, by their position in the list. */
public record BatchResult(int merged, Map<Integer, StoreException> problems) {

	public BatchResult {
		problems = Map.copyOf(problems);
	}

}
