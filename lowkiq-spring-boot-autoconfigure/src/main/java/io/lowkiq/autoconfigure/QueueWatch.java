package io.lowkiq.autoconfigure;

import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.lowkiq.admin.ForeignQueues.ForeignQueue;
import io.lowkiq.internal.BackgroundLoop;
import io.lowkiq.store.inspection.StrandedShards;

/**
 * Logs once that nobody serves a queue, or some of its jobs, any more, or that others
 * seemingly do, too.
 */
class QueueWatch implements BackgroundLoop.Owner {

	private static final Logger logger = LoggerFactory.getLogger(QueueWatch.class);

	/** How long a deploy may leave a queue without a node. */
	private static final Duration PATIENCE = Duration.ofMinutes(2);

	private static final String RENAME = "give one of them another queue name, or another lowkiq.key-prefix";

	private final Supplier<List<String>> unserved;

	private final Supplier<List<StrandedShards>> stranded;

	private final Supplier<List<ForeignQueue>> foreign;

	private final Supplier<Set<String>> left;

	private final LongSupplier nanoTime;

	/** Since when each is true; the maximum once said. Used by the loop's thread. */
	private final Map<String, Long> since = new HashMap<>();

	private final BackgroundLoop loop;

	QueueWatch(Supplier<List<String>> unserved, Supplier<List<StrandedShards>> stranded,
			Supplier<List<ForeignQueue>> foreign, Supplier<Set<String>> left, LongSupplier nanoTime) {
		this.unserved = unserved;
		this.stranded = stranded;
		this.foreign = foreign;
		this.left = left;
		this.nanoTime = nanoTime;
		this.loop = new BackgroundLoop("queues",
				"A queue that no node serves any more, or another application, too, is not logged",
				Duration.ofSeconds(15), this::look, InstantSource.system());
	}

	@Override
	public BackgroundLoop loop() {
		return this.loop;
	}

	private void look() {
		Map<String, Duration> found = new LinkedHashMap<>();
		this.unserved.get()
			.forEach((queue) -> found.put(
					"No node serves queue '%s' any more: its jobs wait, and its shards have no owner. ".formatted(queue)
							+ "Start an application that has its worker, even if only to drain the queue",
					PATIENCE));
		this.stranded.get()
			.forEach((shards) -> found.put("Queue '%s' has jobs of generation %s, which nobody performs. %s"
				.formatted(shards.recorded().name(), shards.generation(), shards.advice()), PATIENCE));
		Set<String> leftQueues = this.left.get();
		this.foreign.get()
			.stream()
			.filter((queue) -> !leftQueues.contains(queue.queue()))
			.forEach((queue) -> found.put(queue.sentence() + " " + advice(queue), Duration.ZERO));
		this.since.keySet().retainAll(found.keySet());
		found.forEach(this::say);
	}

	private void say(String sentence, Duration patience) {
		long now = this.nanoTime.getAsLong();
		long begin = this.since.computeIfAbsent(sentence, (key) -> now);
		if (begin != Long.MAX_VALUE && now - begin >= patience.toNanos()) {
			logger.warn("{}", sentence);
			this.since.put(sentence, Long.MAX_VALUE);
		}
	}

	private static String advice(ForeignQueue queue) {
		return switch (queue.kind()) {
			case FOREIGN -> "To separate them, " + RENAME;
			case SHARED -> "If they share it on purpose, set lowkiq.workers.%s.shared=true in each; if not, %s"
				.formatted(queue.queue(), RENAME);
			case UNNAMED -> "If these are different applications, set spring.application.name in each, and " + RENAME;
		};
	}

}
