package io.lowkiq.engine.runtime;

import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/** Platform threads of the JVM, which wait for real. */
public record SystemRuntime(LongSupplier clock) implements EngineRuntime {

	@Override
	public long nanoTime() {
		return this.clock.getAsLong();
	}

	@Override
	public Waiter newWaiter() {
		return new BlockingWaiter();
	}

	@Override
	public Thread newThread(String name, boolean daemon, Runnable loop) {
		Thread thread = new Thread(loop, name);
		thread.setDaemon(daemon);
		return thread;
	}

	@Override
	public boolean join(Thread thread, long nanos) {
		long begin = System.nanoTime();
		boolean interrupted = Thread.interrupted();
		try {
			for (long left = nanos; left > 0 && thread.isAlive(); left = nanos - (System.nanoTime() - begin)) {
				try {
					TimeUnit.NANOSECONDS.timedJoin(thread, left);
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
			}
			return !thread.isAlive();
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	@Override
	public RandomGenerator random() {
		return ThreadLocalRandom.current();
	}

	@Override
	public UUID newId() {
		return UUID.randomUUID();
	}

}
