package io.lowkiq.client;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;

import io.lowkiq.EnqueueInterceptor;
import io.lowkiq.Ids;
import io.lowkiq.InvalidJobException;
import io.lowkiq.JobRequest;
import io.lowkiq.LowkiqClient;
import io.lowkiq.LowkiqObserver;
import io.lowkiq.LowkiqWorker;
import io.lowkiq.PartlyEnqueuedException;
import io.lowkiq.PayloadCodec;
import io.lowkiq.QueueWorker;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.TransactionMode;
import io.lowkiq.UnknownQueueException;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.store.QueueRegistry;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.TracedProducer;
import org.jspecify.annotations.Nullable;

/** Enqueues jobs into the shards of a store. */
public final class ShardedLowkiqClient implements LowkiqClient {

	private final WorkerRegistry workers;

	private final PayloadCodec codec;

	private final RequestEncoder encoder;

	private final List<EnqueueInterceptor> interceptors;

	private final StoreEnqueuer direct;

	private final Map<TransactionMode, Enqueuer> enqueuers;

	private final Enqueuer enqueuer;

	private final EnqueueTracing tracing;

	private final EnqueueInterceptor.Chain chain;

	/** A client that knows nothing of transactions and traces nothing. */
	public ShardedLowkiqClient(WorkerRegistry workers, ShardStore store, QueueRegistry queues, PayloadCodec codec,
			List<EnqueueInterceptor> interceptors, LowkiqObserver observer) {
		this(workers, codec, interceptors, new StoreEnqueuer(workers, List.of(), store, queues, observer), Map.of(),
				TransactionMode.OFF, EnqueueTracing.NONE);
	}

	/**
	 * @throws IllegalArgumentException if there is nothing for that mode
	 */
	public ShardedLowkiqClient(WorkerRegistry workers, PayloadCodec codec, List<EnqueueInterceptor> interceptors,
			StoreEnqueuer direct, Map<TransactionMode, Enqueuer> enqueuers, TransactionMode mode,
			EnqueueTracing tracing) {
		this(workers, codec, interceptors, direct, withOff(direct, enqueuers), tracing,
				enqueuer(withOff(direct, enqueuers), mode));
	}

	private ShardedLowkiqClient(WorkerRegistry workers, PayloadCodec codec, List<EnqueueInterceptor> interceptors,
			StoreEnqueuer direct, Map<TransactionMode, Enqueuer> enqueuers, EnqueueTracing tracing, Enqueuer enqueuer) {
		this.workers = workers;
		this.codec = codec;
		this.encoder = new RequestEncoder(workers, codec, direct);
		this.interceptors = interceptors;
		this.direct = direct;
		this.enqueuers = enqueuers;
		this.tracing = tracing;
		this.enqueuer = enqueuer;
		this.chain = chain(enqueuer);
	}

	private static Map<TransactionMode, Enqueuer> withOff(StoreEnqueuer direct,
			Map<TransactionMode, Enqueuer> enqueuers) {
		Map<TransactionMode, Enqueuer> all = new EnumMap<>(TransactionMode.class);
		all.putAll(enqueuers);
		all.put(TransactionMode.OFF, direct);
		return all;
	}

	private static Enqueuer enqueuer(Map<TransactionMode, Enqueuer> enqueuers, TransactionMode mode) {
		Enqueuer found = enqueuers.get(mode);
		if (found == null) {
			throw new IllegalArgumentException(
					"This application doesn't support the mode %s. Set lowkiq.client.transactional".formatted(mode));
		}
		return found;
	}

	private EnqueueInterceptor.Chain chain(Enqueuer end) {
		EnqueueInterceptor.Chain last = (call) -> this.tracing.trace(call,
				(producer) -> enqueueAll(call, producer, end));
		EnqueueInterceptor.Chain intercepted = intercepted(last);
		return (call) -> (isInternal(call.queue()) ? last : intercepted).proceed(call);
	}

	private boolean isInternal(String queue) {
		return this.workers.ofQueue(queue).map(RegisteredWorker::isInternal).orElse(false);
	}

	private EnqueueInterceptor.Chain intercepted(EnqueueInterceptor.Chain last) {
		EnqueueInterceptor.Chain chain = last;
		for (int i = this.interceptors.size() - 1; i >= 0; i--) {
			EnqueueInterceptor interceptor = this.interceptors.get(i);
			EnqueueInterceptor.Chain rest = chain;
			chain = (call) -> interceptor.enqueue(call, rest);
		}
		return chain;
	}

	@Override
	public LowkiqClient transactional(TransactionMode mode) {
		return into(this.enqueuers, enqueuer(this.enqueuers, mode));
	}

	/** A client that checks and encodes as this one does, but enqueues nothing itself. */
	public LowkiqClient keeping(BiConsumer<String, List<NewPayload>> keep) {
		return into(Map.of(), (queue, payloads) -> {
			this.direct.checkTarget(queue);
			keep.accept(queue, payloads);
		});
	}

	private LowkiqClient into(Map<TransactionMode, Enqueuer> modes, Enqueuer target) {
		return new ShardedLowkiqClient(this.workers, this.codec, this.interceptors, this.direct, modes, this.tracing,
				target);
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
			Iterable<? extends JobRequest<? extends P>> requests) {
		enqueueInParts(queueOf(worker), requests);
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
	public void enqueueAll(String queue, Iterable<? extends JobRequest<?>> requests) {
		enqueueInParts(queue, requests);
	}

	@Override
	public <P> CompletableFuture<Void> enqueueAsync(Class<? extends QueueWorker<P>> worker,
			JobRequest<? extends P> request) {
		return enqueueAsync(queueOf(worker), request);
	}

	@Override
	public CompletableFuture<Void> enqueueAsync(String queue, JobRequest<?> request) {
		Ids.checkQueue(queue);
		// An interceptor may go on several times, or not at all
		List<CompletableFuture<Void>> all = new ArrayList<>();
		proceed(chain((name, payloads) -> all.add(this.enqueuer.enqueueAsync(name, payloads))), queue,
				Collections.singletonList(request));
		return (all.size() == 1) ? all.get(0) : CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new));
	}

	private String queueOf(Class<?> worker) {
		return registered(worker).queue();
	}

	private RegisteredWorker registered(Class<?> worker) {
		List<RegisteredWorker> found = this.workers.ofClass(worker);
		if (found.isEmpty()) {
			boolean isAnnotated = worker.isAnnotationPresent(LowkiqWorker.class);
			throw new UnknownQueueException((isAnnotated
					? "%s is annotated with @LowkiqWorker, but no bean of this application: it may be outside the scanned packages, "
							+ "left out by a profile or a condition, or in a child context. Make it a bean, or enqueue by the queue's name"
					: "%s is not the worker of a queue of this application: "
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
		proceed(this.chain, queue, requests);
	}

	/**
	 * Nothing of a later part is read before an earlier one is enqueued: payloads of an
	 * id keep their order.
	 */
	private void enqueueInParts(String queue, Iterable<? extends JobRequest<?>> requests) {
		RequestParts parts = new RequestParts(requests.iterator(), (request) -> this.encoder.size(queue, request));
		int before = 0;
		boolean isRead = false;
		try {
			while (parts.hasNext()) {
				List<JobRequest<?>> part = parts.next();
				isRead = true;
				enqueue(queue, part);
				before += part.size();
				isRead = false;
			}
		}
		catch (RuntimeException ex) {
			if (before == 0) {
				throw ex;
			}
			// What reads the requests, or an interceptor, may have enqueued another batch
			throw (isRead && ex instanceof PartlyEnqueuedException partly && partly.queue().equals(queue))
					? partly.after(before) : new PartlyEnqueuedException(queue, before, ex);
		}
	}

	private static void proceed(EnqueueInterceptor.Chain chain, String queue, List<JobRequest<?>> requests) {
		for (JobRequest<?> request : requests) {
			if (request == null) {
				throw new InvalidJobException("A request for queue '%s' is null".formatted(queue));
			}
		}
		chain.proceed(new EnqueueInterceptor.Call(queue, requests));
	}

	private void enqueueAll(EnqueueInterceptor.Call call, @Nullable TracedProducer producer, Enqueuer end) {
		long begin = System.nanoTime();
		List<NewPayload> payloads;
		try {
			payloads = this.encoder.encode(call.queue(), call.requests(), producer);
		}
		catch (RuntimeException ex) {
			this.direct.failed(call.queue(), call.requests().size(), begin);
			throw ex;
		}
		end.enqueue(call.queue(), payloads);
	}

}
