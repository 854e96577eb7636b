package io.lowkiq.autoconfigure;

import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.lowkiq.RegisteredWorker;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.admin.ForeignQueues;
import io.lowkiq.admin.ForeignQueues.ForeignQueue;
import io.lowkiq.internal.BackgroundLoop;
import io.lowkiq.internal.LogText;
import io.lowkiq.store.Member;
import io.lowkiq.store.NodeInfo;
import io.lowkiq.store.StoreException;
import io.lowkiq.store.inspection.InspectableStore;

/**
 * Notices that another application serves a queue of this one with another payload type.
 * Says so once in the log, or refuses the start.
 */
class ForeignQueueWatch implements BackgroundLoop.Owner {

	private static final Logger logger = LoggerFactory.getLogger(ForeignQueueWatch.class);

	private static final Duration PERIOD = Duration.ofSeconds(15);

	/** How often a node that may be dead is checked before the start. */
	private static final Duration LOOK_INTERVAL = Duration.ofMillis(200);

	private final InspectableStore store;

	private final NodeInfo own;

	private final boolean refuses;

	private final BackgroundLoop loop;

	/** The last report on each queue; used by the thread of the loop. */
	private final Map<String, String> known = new HashMap<>();

	/**
	 * A watch.
	 * @param store knows the other nodes
	 * @param application the name of this application; empty if it has none, then nothing
	 * is compared
	 * @param workers the workers whose queues this application serves
	 * @param refuses whether to refuse the start
	 */
	ForeignQueueWatch(InspectableStore store, String application, WorkerRegistry workers, boolean refuses) {
		this.store = store;
		this.refuses = refuses;
		this.own = new NodeInfo("", 0, Duration.ZERO, Set.of(), false, application, workers.all()
			.stream()
			.collect(Collectors.toMap(RegisteredWorker::queue, (worker) -> worker.payloadType().getTypeName())));
		this.loop = new BackgroundLoop("foreign-queues",
				"A queue that another application uses for other payloads is not logged", PERIOD, this::look,
				InstantSource.system());
	}

	/** Starts the loop, unless there is nothing to compare. */
	void start() {
		if (!this.own.application().isBlank() && !this.own.payloadTypes().isEmpty()) {
			this.loop.start(PERIOD);
		}
	}

	void stop() {
		this.loop.close();
	}

	@Override
	public BackgroundLoop loop() {
		return this.loop;
	}

	private void look() {
		List<ForeignQueue> found = new ForeignQueues(this.store).of(this.own.application());
		for (ForeignQueue queue : found) {
			String description = queue.describe();
			if (!description.equals(this.known.put(queue.queue(), description))) {
				logger.warn("Queue '{}' is served by several applications with different payloads: {}. "
						+ "Each performs jobs of the other. Give one of them another queue name, or another lowkiq.key-prefix",
						queue.queue(), description);
			}
		}
		this.known.keySet().retainAll(found.stream().map(ForeignQueue::queue).toList());
	}

	private List<ForeignQueue> foreign(Member member) {
		return ForeignQueues.among(List.of(this.own, member.info()));
	}

	/**
	 * Fails if a running node of another application serves a queue of this one with
	 * another payload type, and the application refuses that. A node counts as running
	 * when its next heartbeat has come; that of a dead one never does, and is awaited for
	 * its lease.
	 */
	void refuse() {
		Map<String, Long> beats = new HashMap<>();
		try {
			while (this.refuses) {
				List<Member> others = this.store.livingNodes()
					.look()
					.living()
					.stream()
					.filter((member) -> !foreign(member).isEmpty())
					.toList();
				if (others.isEmpty()) {
					return;
				}
				for (Member other : others) {
					if (beats.computeIfAbsent(other.session(), (session) -> other.beats()) != other.beats()) {
						throw refusal(other);
					}
				}
				Thread.sleep(LOOK_INTERVAL.toMillis());
			}
		}
		catch (StoreException ex) {
			logger.warn("Could not check whether other applications use the queues of this one: {}", ex.getMessage());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private LowkiqConfigurationException refusal(Member other) {
		ForeignQueue queue = foreign(other).get(0);
		return new LowkiqConfigurationException(
				"Queue '%s' is served by another application with other payloads, and lowkiq.server.refuse-foreign-queues is set: %s. The other one runs on node %s"
					.formatted(queue.queue(), queue.describe(), LogText.of(other.info().node())),
				"Give one of the applications another queue name, or another lowkiq.key-prefix");
	}

}
