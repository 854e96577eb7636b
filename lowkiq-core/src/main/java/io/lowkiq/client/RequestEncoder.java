package io.lowkiq.client;

import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.lowkiq.JobRequest;
import io.lowkiq.PayloadCodec;
import io.lowkiq.store.NewPayload;
import io.lowkiq.store.TracedProducer;

/**
 * Makes of requests what goes to a store. All of a call are encoded before the first is
 * written, so that a payload that can't be encoded costs no other one its place.
 */
final class RequestEncoder {

	private final PayloadCodec codec;

	RequestEncoder(PayloadCodec codec) {
		this.codec = codec;
	}

	/**
	 * Encodes requests.
	 * @param requests the requests
	 * @param type the worker's payload type; null if it isn't known
	 * @param producer who enqueues; null if that is not traced
	 * @return a payload for each
	 * @throws io.lowkiq.PayloadException if a payload can't be encoded
	 */
	List<NewPayload> encode(List<JobRequest<?>> requests, @Nullable Type type, @Nullable TracedProducer producer) {
		return requests.stream().map((request) -> newPayload(request, type).by(producer)).toList();
	}

	private NewPayload newPayload(JobRequest<?> request, @Nullable Type type) {
		Object object = request.payload();
		byte[] payload = this.codec.encode(object, (type != null) ? type : object.getClass());
		Instant performAt = request.performAt();
		Duration performIn = request.performIn();
		return new NewPayload(request.id(), payload, request.score(), millis(performAt),
				(performIn != null) ? ceilMillis(performIn) : 0);
	}

	/** Rounded up: a job is never started before its time. */
	private static @Nullable Long millis(@Nullable Instant time) {
		return (time != null) ? ceilMillis(Duration.between(Instant.EPOCH, time)) : null;
	}

	private static long ceilMillis(Duration duration) {
		return duration.plusNanos(999_999).toMillis();
	}

}
