package io.lowkiq.benchmarks.child;

import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

import io.lowkiq.JobRequest;

/** Enqueues many jobs by few calls. */
final class Jobs {

	/** The maximum number of jobs per call. */
	private static final int CALL = 100_000;

	private static final int JSON_STRING = 98;

	private Jobs() {
	}

	/** Enqueues jobs whose ids are their numbers, spread over the queues in turn. */
	static void enqueue(Application application, int from, int to, IntFunction<String> payload) {
		int queues = application.queues();
		for (int start = from; start < to; start += CALL) {
			int end = Math.min(to, start + CALL);
			int first = start;
			for (int queue = 0; queue < Math.min(queues, end - start); queue++) {
				int offset = queue;
				List<JobRequest<String>> requests = IntStream
					.iterate(first + offset, (number) -> number < end, (number) -> number + queues)
					.mapToObj((number) -> JobRequest.of(Integer.toString(number), payload.apply(number)))
					.toList();
				application.client().enqueueAll(application.queue(first + offset), requests);
			}
		}
	}

	/** A payload that is 100 bytes of JSON. */
	static String hundredBytes(int number) {
		String head = Integer.toString(number) + ":";
		return head + "x".repeat(JSON_STRING - head.length());
	}

}
