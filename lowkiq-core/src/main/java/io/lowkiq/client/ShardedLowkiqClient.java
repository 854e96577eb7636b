package io.lowkiq.client;

import java.lang.reflect.Type;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

import io.lowkiq.EnqueueInterceptor;
import io.lowkiq.InvalidJobException;
import io.lowkiq.JobRequest;
import io.lowkiq.LowkiqClient;
import io.lowkiq.LowkiqObserver;
import io.lowkiq.PayloadCodec;
import io.lowkiq.QueueDeclaration;
import io.lowkiq.QueueWorker;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.UnknownQueueException;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.store.QueueRegistry;
import io.lowkiq.store.ShardStore;

/**
 * Enqueues jobs into the shards of a store.
 */
public final class ShardedLowkiqClient implements LowkiqClient {

	private static final Logger logger = LoggerFactory.getLogger(ShardedLowkiqClient.class);

	private final WorkerRegistry workers;

	private final ShardStore store;

	private final KnownQueues queues;

	private final PayloadCodec codec;

	private final EnqueueInterceptor.Chain chain;

	private final LowkiqObserver observer;

	/**
	 * A client.
	 * @param workers the workers of the application
	 * @param store where the jobs go
	 * @param queues the recorded queues
	 * @param codec turns payloads into bytes
	 * @param interceptors run around every enqueue, the first one outermost
	 * @param observer notified of every enqueue
	 */
	public ShardedLowkiqClient(WorkerRegistry workers, ShardStore store, QueueRegistry queues, PayloadCodec codec,
			List<EnqueueInterceptor> interceptors, LowkiqObserver observer) {
		this(workers, List.of(), store, queues, codec, interceptors, observer);
	}

	/**
	 * A client of an application that doesn't have the workers of all its queues.
	 * @param workers the workers of the application
	 * @param declarations queues whose workers other applications have
	 * @param store where the jobs go
	 * @param queues the recorded queues
	 * @param codec turns payloads into bytes
	 * @param interceptors run around every enqueue, the first one outermost
	 * @param observer notified of every enqueue
	 */
	public ShardedLowkiqClient(WorkerRegistry workers, Collection<QueueDeclaration> declarations, ShardStore store,
			QueueRegistry queues, PayloadCodec codec, List<EnqueueInterceptor> interceptors, LowkiqObserver observer) {
		this.workers = workers;
		this.store = store;
		this.queues = new KnownQueues(workers, declarations, queues);
		this.codec = codec;
		this.observer = observer;
		this.chain = chain(interceptors);
	}

	private EnqueueInterceptor.Chain chain(List<EnqueueInterceptor> interceptors) {
		EnqueueInterceptor.Chain chain = this::enqueueAll;
		for (int i = interceptors.size() - 1; i >= 0; i--) {
			EnqueueInterceptor interceptor = interceptors.get(i);
			EnqueueInterceptor.Chain rest = chain;
			chain = (call) -> interceptor.enqueue(call, rest);
		}
		return chain;
	}

	@Override
	public <P> void enqueue(Class<? extends QueueWorker<P>> worker, String id, P payload) {
		enqueue(queueOf(worker), List.of(JobRequest.of(id, payload)));
	}

	@Override
	public <P> void enqueue(Class<? extends QueueWorker<P>> worker, JobRequest<? extends P> request) {
		enqueue(queueOf(worker), Collections.singletonList(request));
	}

	@Override
	@SuppressWarnings("unchecked")
	public <P> void enqueue(Class<? extends QueueWorker<P>> worker, P payload) {
		if (payload == null) {
			throw new InvalidJobException("The payload is null");
		}
		RegisteredWorker registered = registered(worker);
		JobRequest<P> request = ((QueueWorker<P>) registered.worker().get()).toJob(payload);
		if (request == null) {
			throw new InvalidJobException(
					"toJob of the worker of queue '%s' returned null".formatted(registered.queue()));
		}
		enqueue(registered.queue(), Collections.singletonList(request));
	}

	@Override
	public <P> void enqueueAll(Class<? extends QueueWorker<P>> worker,
			Collection<? extends JobRequest<? extends P>> requests) {
		enqueue(queueOf(worker), new ArrayList<>(requests));
	}

	@Override
	public void enqueue(String queue, String id, Object payload) {
		enqueue(queue, List.of(JobRequest.of(id, payload)));
	}

	@Override
	public void enqueue(String queue, JobRequest<?> request) {
		enqueue(queue, Collections.singletonList(request));
	}

	@Override
	public void enqueueAll(String queue, Collection<? extends JobRequest<?>> requests) {
		enqueue(queue, new ArrayList<>(requests));
	}

	private String queueOf(Class<?> worker) {
		return registered(worker).queue();
	}

	private RegisteredWorker registered(Class<?> worker) {
		List<RegisteredWorker> found = this.workers.ofClass(worker);
		if (found.isEmpty()) {
			throw new UnknownQueueException(("%s is not the worker of a queue of this application: "
					+ "annotate it with @LowkiqWorker, or enqueue by the name of the queue")
				.formatted(worker.getName()));
		}
		if (found.size() > 1) {
			throw new UnknownQueueException("%s serves several queues: %s. Enqueue by the name of the queue".formatted(
					worker.getName(), found.stream().map(RegisteredWorker::queue).collect(Collectors.joining(", "))));
		}
		return found.get(0);
	}

	private void enqueue(String queue, List<JobRequest<?>> requests) {
		if (requests.isEmpty()) {
			return;
		}
		if (requests.stream().anyMatch(Objects::isNull)) {
			throw new InvalidJobException("A request for queue '%s' is null".formatted(queue));
		}
		this.chain.proceed(new EnqueueInterceptor.Call(queue, requests));
	}

	private void enqueueAll(EnqueueInterceptor.Call call) {
		long begin = System.nanoTime();
		int jobs = call.requests().size();
		int merged = 0;
		try {
			Type payloadType = payloadType(call);
			EnqueuePlan plan = new EnqueuePlan(this.queues.layout(call.queue()), call.requests(), payloadType,
					this.codec);
			merged = this.store.enqueueAll(plan.calls()).merged();
		}
		catch (RuntimeException ex) {
			tell(() -> this.observer.enqueueFailed(call.queue(), jobs, since(begin)));
			throw ex;
		}
		int allMerged = merged;
		tell(() -> this.observer.enqueued(call.queue(), jobs, allMerged, since(begin)));
	}

	/**
	 * The type of the payloads, which they have been found to be of; null if the worker
	 * is not known.
	 */
	private @Nullable Type payloadType(EnqueueInterceptor.Call call) {
		RegisteredWorker worker = this.workers.ofQueue(call.queue()).orElse(null);
		if (worker == null) {
			return null;
		}
		Class<?> type = ResolvableType.forType(worker.payloadType()).resolve(Object.class);
		for (JobRequest<?> request : call.requests()) {
			if (!ClassUtils.isAssignableValue(type, request.payload())) {
				throw new InvalidJobException(
						"The payload of job '%s' is of %s, but the worker of queue '%s', %s, takes %s".formatted(
								request.id(), request.payload().getClass().getName(), worker.queue(),
								worker.workerClass().getName(), worker.payloadType().getTypeName()));
			}
		}
		return worker.payloadType();
	}

	private static Duration since(long begin) {
		return Duration.ofNanos(System.nanoTime() - begin);
	}

	private static void tell(Runnable notification) {
		try {
			notification.run();
		}
		catch (RuntimeException ex) {
			logger.warn("An observer threw", ex);
		}
	}

}
