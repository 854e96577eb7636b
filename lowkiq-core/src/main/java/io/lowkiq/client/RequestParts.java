package io.lowkiq.client;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.ToIntFunction;

import io.lowkiq.JobRequest;

/**
 * The requests of a call in parts of bounded size, so that a source that makes them as
 * they are read never has more of them in memory. Used by one thread.
 */
final class RequestParts {

	static final int MAX_REQUESTS = 10_000;

	static final long MAX_BYTES = 8 << 20;

	/** From there on, the size of requests is estimated, which costs an encoding. */
	private static final int FIRST_SAMPLE = 16;

	private final Iterator<? extends JobRequest<?>> source;

	private final ToIntFunction<JobRequest<?>> size;

	RequestParts(Iterator<? extends JobRequest<?>> source, ToIntFunction<JobRequest<?>> size) {
		this.source = source;
		this.size = size;
	}

	boolean hasNext() {
		return this.source.hasNext();
	}

	/** Its size is estimated by that of fewer and fewer of its requests. */
	List<JobRequest<?>> next() {
		List<JobRequest<?>> part = new ArrayList<>();
		long sampled = 0;
		int samples = 0;
		while (part.size() < MAX_REQUESTS && this.source.hasNext()) {
			JobRequest<?> request = this.source.next();
			part.add(request);
			if (part.size() >= FIRST_SAMPLE && Integer.bitCount(part.size()) == 1) {
				sampled += this.size.applyAsInt(request);
				samples++;
			}
			if (samples > 0 && part.size() * sampled / samples >= MAX_BYTES) {
				break;
			}
		}
		return part;
	}

}
