package io.lowkiq.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;

import io.lowkiq.StoreException;
import io.lowkiq.store.job.NewPayload;
import org.jspecify.annotations.Nullable;

/**
 * Enqueues for callers who don't wait: on one thread, in the order of the calls, so that
 * two payloads of an id never overtake each other. Thread-safe.
 */
final class AsyncEnqueuer {

	/** Maximum size of waiting payloads, in bytes; beyond it, callers wait. */
	static final int MAX_BUFFERED_BYTES = 16 << 20;

	/** Rough memory of a job besides its payload, in bytes. */
	private static final int OVERHEAD = 256;

	private static final int MAX_TOGETHER = 1_000;

	private final BiConsumer<String, List<NewPayload>> enqueue;

	private final Semaphore room = new Semaphore(MAX_BUFFERED_BYTES, true);

	/** Filled by callers, emptied by the thread. */
	private final Queue<Waiting> waiting = new ConcurrentLinkedQueue<>();

	private final ThreadPoolExecutor thread = new ThreadPoolExecutor(1, 1, 30, TimeUnit.SECONDS,
			new LinkedBlockingQueue<>(), AsyncEnqueuer::thread);

	AsyncEnqueuer(BiConsumer<String, List<NewPayload>> enqueue) {
		this.enqueue = enqueue;
		this.thread.allowCoreThreadTimeOut(true);
	}

	private static Thread thread(Runnable task) {
		Thread thread = new Thread(task, "lowkiq-enqueue");
		thread.setDaemon(true);
		return thread;
	}

	/** Enqueues payloads soon. Waits while there is no room. */
	CompletableFuture<Void> enqueue(String queue, List<NewPayload> payloads) {
		Waiting one = new Waiting(queue, List.copyOf(payloads), new CompletableFuture<>());
		try {
			this.room.acquire(one.size());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return CompletableFuture.failedFuture(
					new StoreException("Interrupted while waiting for room for more jobs: nothing was enqueued", ex));
		}
		this.waiting.add(one);
		this.thread.execute(this::drain);
		return one.end();
	}

	/** Enqueues what waits first, with what follows it for the same queue. */
	private void drain() {
		Waiting first = this.waiting.poll();
		if (first == null) {
			return;
		}
		List<Waiting> together = new ArrayList<>(List.of(first));
		List<NewPayload> payloads = new ArrayList<>(first.payloads());
		Waiting next = this.waiting.peek();
		while (next != null && next.queue().equals(first.queue()) && payloads.size() < MAX_TOGETHER) {
			this.waiting.remove();
			together.add(next);
			payloads.addAll(next.payloads());
			next = this.waiting.peek();
		}
		Throwable problem = null;
		try {
			this.enqueue.accept(first.queue(), payloads);
		}
		catch (RuntimeException | Error ex) {
			problem = ex;
		}
		for (Waiting each : together) {
			this.room.release(each.size());
			each.end(problem);
		}
	}

	/** Waits until all that was given before is enqueued, and lets the thread end. */
	boolean flush(Duration timeout) {
		if (this.waiting.isEmpty() && this.thread.getPoolSize() == 0) {
			return true;
		}
		CompletableFuture<Void> flushed = new CompletableFuture<>();
		this.thread.setKeepAliveTime(1, TimeUnit.MILLISECONDS);
		// Behind all that was given
		this.thread.execute(() -> flushed.complete(null));
		try {
			flushed.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
			return true;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
		catch (ExecutionException | TimeoutException ex) {
			return false;
		}
	}

	private record Waiting(String queue, List<NewPayload> payloads, CompletableFuture<Void> end) {

		/** The room that it takes; more than all there is counts as all. */
		int size() {
			long bytes = this.payloads.stream()
				.mapToLong((payload) -> OVERHEAD + payload.payload().length + 2L * payload.id().length())
				.sum();
			return (int) Math.min(bytes, MAX_BUFFERED_BYTES);
		}

		/** Elsewhere: what a caller does then must not hold up the lane. */
		void end(@Nullable Throwable problem) {
			this.end.defaultExecutor().execute(() -> {
				if (problem != null) {
					this.end.completeExceptionally(problem);
				}
				else {
					this.end.complete(null);
				}
			});
		}

	}

}
