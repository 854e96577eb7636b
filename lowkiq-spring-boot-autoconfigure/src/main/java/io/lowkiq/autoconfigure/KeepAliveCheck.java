package io.lowkiq.autoconfigure;

import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;

/**
 * Warns of a node that ends as soon as it has started: virtual threads are daemons, and
 * without a web server nothing else keeps the JVM alive.
 */
class KeepAliveCheck implements ApplicationListener<ApplicationReadyEvent> {

	private static final Logger logger = LoggerFactory.getLogger(KeepAliveCheck.class);

	private final BooleanSupplier isRunning;

	private final Supplier<Set<Thread>> threads;

	KeepAliveCheck(BooleanSupplier isRunning, Supplier<Set<Thread>> threads) {
		this.isRunning = isRunning;
		this.threads = threads;
	}

	@Override
	public void onApplicationEvent(ApplicationReadyEvent event) {
		if (this.isRunning.getAsBoolean() && isOnlyThread(Thread.currentThread())) {
			logger.warn("No thread keeps this JVM alive, so the node ends when the main thread does. "
					+ "Virtual threads don't: set spring.main.keep-alive=true");
		}
	}

	private boolean isOnlyThread(Thread current) {
		return this.threads.get()
			.stream()
			.noneMatch((thread) -> thread != current && thread.isAlive() && !thread.isDaemon());
	}

}
