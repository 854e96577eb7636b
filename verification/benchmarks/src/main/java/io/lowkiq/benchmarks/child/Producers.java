package io.lowkiq.benchmarks.child;

import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/**
 * Threads that do something for each of a range of numbers, one number after the other.
 */
final class Producers implements AutoCloseable {

	private final int count;

	private final ExecutorService threads;

	/** Starts threads. */
	Producers(int count) {
		this.count = count;
		this.threads = Executors.newFixedThreadPool(count);
	}

	/**
	 * Does something for each number, spread over the threads in turn, and waits for all.
	 */
	void run(int from, int to, IntConsumer task) throws ExecutionException, InterruptedException {
		List<Future<?>> running = IntStream.range(0, this.count)
			.<Future<?>>mapToObj((producer) -> this.threads.submit(() -> {
				for (int number = from + producer; number < to; number += this.count) {
					task.accept(number);
				}
			}))
			.toList();
		for (Future<?> one : running) {
			one.get();
		}
	}

	@Override
	public void close() {
		this.threads.shutdown();
	}

}
