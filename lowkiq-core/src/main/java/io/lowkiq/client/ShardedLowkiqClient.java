package io.lowkiq.client;

import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

import io.lowkiq.EnqueueInterceptor;
import io.lowkiq.InvalidJobException;
import io.lowkiq.JobRequest;
import io.lowkiq.LogText;
import io.lowkiq.LowkiqClient;
import io.lowkiq.LowkiqObserver;
import io.lowkiq.PayloadCodec;
import io.lowkiq.QueueWorker;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.TransactionMode;
import io.lowkiq.UnknownQueueException;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.store.NewPayload;
import io.lowkiq.store.QueueRegistry;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.TracedProducer;
import org.jspecify.annotations.Nullable;

/**
 * Enqueues jobs into the shards of a store.
 */
public final class ShardedLowkiqClient implements LowkiqClient {

	private final WorkerRegistry workers;

	private final RequestEncoder encoder;

	private final List<EnqueueInterceptor> interceptors;

	private final StoreEnqueuer direct;

	private final Map<TransactionMode, Enqueuer> enqueuers;

	private final Enqueuer enqueuer;

	private final EnqueueTracing tracing;

	private final EnqueueInterceptor.Chain chain;

	/**
	 * A client that knows nothing of transactions and traces nothing.
	 * @param workers the workers of the application
	 * @param store where the jobs go
	 * @param queues the recorded queues
	 * @param codec turns payloads into bytes
	 * @param interceptors run around every enqueue, the first one outermost
	 * @param observer notified of every enqueue
	 */
	public ShardedLowkiqClient(WorkerRegistry workers, ShardStore store, QueueRegistry queues, PayloadCodec codec,
			List<EnqueueInterceptor> interceptors, LowkiqObserver observer) {
		this(workers, codec, interceptors, new StoreEnqueuer(workers, List.of(), store, queues, observer), Map.of(),
				TransactionMode.OFF, EnqueueTracing.NONE);
	}

	/**
	 * A client.
	 * @param workers the workers of the application
	 * @param codec turns payloads into bytes
	 * @param interceptors run around every enqueue, the first one outermost
	 * @param direct enqueues at once, for {@link TransactionMode#OFF}
	 * @param enqueuers what enqueues in the other modes, as far as there are any
	 * @param mode the mode of this client
	 * @param tracing traces every enqueue, inside the interceptors
	 * @throws IllegalArgumentException if there is nothing for that mode
	 */
	public ShardedLowkiqClient(WorkerRegistry workers, PayloadCodec codec, List<EnqueueInterceptor> interceptors,
			StoreEnqueuer direct, Map<TransactionMode, Enqueuer> enqueuers, TransactionMode mode,
			EnqueueTracing tracing) {
		this(workers, new RequestEncoder(codec), interceptors, direct, Map.copyOf(enqueuers), mode, tracing);
	}

	private ShardedLowkiqClient(WorkerRegistry workers, RequestEncoder encoder, List<EnqueueInterceptor> interceptors,
			StoreEnqueuer direct, Map<TransactionMode, Enqueuer> enqueuers, TransactionMode mode,
			EnqueueTracing tracing) {
		this.workers = workers;
		this.encoder = encoder;
		this.interceptors = interceptors;
		this.direct = direct;
		this.enqueuers = enqueuers;
		this.enqueuer = enqueuer(mode);
		this.tracing = tracing;
		this.chain = chain(interceptors);
	}

	private Enqueuer enqueuer(TransactionMode mode) {
		if (mode == TransactionMode.OFF) {
			return this.direct;
		}
		Enqueuer found = this.enqueuers.get(mode);
		if (found == null) {
			throw new IllegalArgumentException(
					"This application doesn't support the mode %s. Set lowkiq.client.transactional".formatted(mode));
		}
		return found;
	}

	private EnqueueInterceptor.Chain chain(List<EnqueueInterceptor> interceptors) {
		EnqueueInterceptor.Chain chain = (call) -> this.tracing.trace(call, (producer) -> enqueueAll(call, producer));
		for (int i = interceptors.size() - 1; i >= 0; i--) {
			EnqueueInterceptor interceptor = interceptors.get(i);
			EnqueueInterceptor.Chain rest = chain;
			chain = (call) -> interceptor.enqueue(call, rest);
		}
		return chain;
	}

	@Override
	public LowkiqClient transactional(TransactionMode mode) {
		return new ShardedLowkiqClient(this.workers, this.encoder, this.interceptors, this.direct, this.enqueuers, mode,
				this.tracing);
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
					+ "annotate it with @LowkiqWorker, or enqueue by the queue's name")
				.formatted(worker.getName()));
		}
		if (found.size() > 1) {
			throw new UnknownQueueException("%s serves several queues: %s. Enqueue by the queue's name".formatted(
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

	private void enqueueAll(EnqueueInterceptor.Call call, @Nullable TracedProducer producer) {
		long begin = System.nanoTime();
		List<NewPayload> payloads;
		try {
			payloads = this.encoder.encode(call.requests(), payloadType(call), producer);
		}
		catch (RuntimeException ex) {
			this.direct.failed(call.queue(), call.requests().size(), begin);
			throw ex;
		}
		this.enqueuer.enqueue(call.queue(), payloads);
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
								LogText.of(request.id()), request.payload().getClass().getName(), worker.queue(),
								worker.workerClass().getName(), worker.payloadType().getTypeName()));
			}
		}
		return worker.payloadType();
	}

}
