package io.lowkiq.client;

import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import io.lowkiq.InvalidJobException;
import io.lowkiq.JobRequest;
import io.lowkiq.PayloadCodec;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.internal.LogText;
import io.lowkiq.store.job.FollowUp;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.TracedProducer;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/** Makes of requests what goes to a store. */
final class RequestEncoder {

	private final WorkerRegistry workers;

	private final PayloadCodec codec;

	private final StoreEnqueuer queues;

	RequestEncoder(WorkerRegistry workers, PayloadCodec codec, StoreEnqueuer queues) {
		this.workers = workers;
		this.codec = codec;
		this.queues = queues;
	}

	/**
	 * Encodes requests of a producer that is null if it is not traced.
	 * @throws io.lowkiq.LowkiqException if a payload is of a wrong type or can't be
	 * encoded, if the queue belongs to another application, or if the queue name of a
	 * later step is invalid
	 */
	List<NewPayload> encode(String queue, List<JobRequest<?>> requests, @Nullable TracedProducer producer) {
		RegisteredWorker worker = this.workers.ofQueue(queue).orElse(null);
		this.queues.checkOwn(queue);
		for (JobRequest<?> request : requests) {
			check(worker, request);
		}
		List<NewPayload> payloads = new ArrayList<>(requests.size());
		for (JobRequest<?> request : requests) {
			payloads.add(newPayload(worker, request, producer));
		}
		return payloads;
	}

	/** In bytes; 0 if it can't be encoded. */
	int size(String queue, JobRequest<?> request) {
		try {
			return payload(this.workers.ofQueue(queue).orElse(null), request).length;
		}
		catch (RuntimeException ex) {
			// When it is enqueued, this is thrown again
			return 0;
		}
	}

	private static void check(@Nullable RegisteredWorker worker, JobRequest<?> request) {
		if (worker == null) {
			return;
		}
		Class<?> type = ResolvableType.forType(worker.payloadType()).resolve(Object.class);
		if (!ClassUtils.isAssignableValue(type, request.payload())) {
			throw new InvalidJobException("The payload of job '%s' is of %s, but the worker of queue '%s', %s, takes %s"
				.formatted(LogText.of(request.id()), request.payload().getClass().getName(), worker.queue(),
						worker.workerClass().getName(), worker.payloadType().getTypeName()));
		}
	}

	private NewPayload newPayload(@Nullable RegisteredWorker worker, JobRequest<?> request,
			@Nullable TracedProducer producer) {
		byte[] payload = payload(worker, request);
		Instant performAt = request.performAt();
		Duration performIn = request.performIn();
		return new NewPayload(request.id(), payload, request.score(), millis(performAt),
				(performIn != null) ? ceilMillis(performIn) : 0, producer, null, next(request, producer));
	}

	private byte[] payload(@Nullable RegisteredWorker worker, JobRequest<?> request) {
		Object object = request.payload();
		Type type = (worker != null) ? worker.payloadType() : object.getClass();
		PayloadCodec used = (worker != null) ? worker.codecOr(this.codec) : this.codec;
		return used.encode(object, type);
	}

	private byte @Nullable [] next(JobRequest<?> request, @Nullable TracedProducer producer) {
		JobRequest.Step next = request.next();
		if (next == null) {
			return null;
		}
		this.queues.checkTarget(next.queue());
		return new FollowUp(next.queue(), encode(next.queue(), List.of(next.request()), producer).get(0)).toBytes();
	}

	/** Rounded up: a job is never started before its time. */
	private static @Nullable Long millis(@Nullable Instant time) {
		return (time != null) ? ceilMillis(Duration.between(Instant.EPOCH, time)) : null;
	}

	private static long ceilMillis(Duration duration) {
		return duration.plusNanos(999_999).toMillis();
	}

}
