package io.lowkiq.autoconfigure;

import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.lowkiq.admin.ForeignQueues.ForeignQueue;
import io.lowkiq.internal.BackgroundLoop;

/**
 * Notices that another application seems to have a worker for a queue of this one, and
 * says so once in the log.
 */
class ForeignQueueWatch implements BackgroundLoop.Owner {

	private static final Logger logger = LoggerFactory.getLogger(ForeignQueueWatch.class);

	private static final Duration PERIOD = Duration.ofSeconds(15);

	private final Supplier<List<ForeignQueue>> queues;

	private final Supplier<Set<String>> left;

	private final BackgroundLoop loop;

	/** The last report on each queue; used by the thread of the loop. */
	private final Map<String, String> known = new HashMap<>();

	ForeignQueueWatch(Supplier<List<ForeignQueue>> queues, Supplier<Set<String>> left) {
		this.queues = queues;
		this.left = left;
		this.loop = new BackgroundLoop("foreign-queues", "A queue that other applications use, too, is not logged",
				PERIOD, this::look, InstantSource.system());
	}

	void start() {
		this.loop.start(Duration.ofSeconds(1));
	}

	void stop() {
		this.loop.close();
	}

	@Override
	public BackgroundLoop loop() {
		return this.loop;
	}

	private void look() {
		Set<String> leftQueues = this.left.get();
		List<ForeignQueue> found = this.queues.get();
		for (ForeignQueue queue : found) {
			String description = queue.describe();
			if (!description.equals(this.known.put(queue.queue(), description))
					&& !leftQueues.contains(queue.queue())) {
				log(queue, description);
			}
		}
		this.known.keySet().retainAll(found.stream().map(ForeignQueue::queue).toList());
	}

	private static void log(ForeignQueue queue, String description) {
		switch (queue.kind()) {
			case FOREIGN -> logger.warn(
					"Queue '{}' belongs to several applications with different payloads: {}. "
							+ "Give one of them another queue name, or another lowkiq.key-prefix",
					queue.queue(), description);
			case SHARED -> logger.warn(
					"Queue '{}' is served by several applications with the same payloads: {}. "
							+ "A deploy that renames the application looks the same. "
							+ "If they share the queue on purpose, set lowkiq.workers.{}.shared=true in each; "
							+ "if not, give one of them another queue name, or another lowkiq.key-prefix",
					queue.queue(), description, queue.queue());
			case UNNAMED -> logger.warn("Queue '{}' is served with different payloads: {}. "
					+ "A deploy that renames a class looks the same. "
					+ "If these are different applications, each performs jobs of the other: "
					+ "set spring.application.name in each, and give one of them another queue name, or another lowkiq.key-prefix",
					queue.queue(), description);
		}
	}

}
