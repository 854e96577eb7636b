package io.lowkiq.sample.orders;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.lowkiq.JobRequest;
import io.lowkiq.LowkiqClient;
import io.lowkiq.LowkiqWorker;
import io.lowkiq.PerformContext;
import io.lowkiq.Worker;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replicates orders: writes the newest change to the database and tells the other queues.
 * <p>
 * It looks at the row, takes its time, and writes, with no lock around: correct only
 * because no two performs of an order overlap (I1) and changes come in order (I2). It
 * writes down whether that holds.
 */
@LowkiqWorker(queue = OrderWorker.QUEUE, shards = 24, maxRetryCount = 3)
class OrderWorker implements Worker<OrderSnapshot> {

	static final String QUEUE = "orders";

	private static final Logger logger = LoggerFactory.getLogger(OrderWorker.class);

	private final OrderTable orders;

	private final OrderFacts facts;

	private final Warehouse warehouse;

	private final LowkiqClient lowkiq;

	private final PerformContext context;

	private final Duration notifyAfter;

	/**
	 * The orders that this JVM performs now. Written and read by all performing threads.
	 */
	private final Set<String> performing = ConcurrentHashMap.newKeySet();

	OrderWorker(OrderTable orders, OrderFacts facts, Warehouse warehouse, LowkiqClient lowkiq, PerformContext context,
			SampleSettings settings) {
		this.orders = orders;
		this.facts = facts;
		this.warehouse = warehouse;
		this.lowkiq = lowkiq;
		this.context = context;
		this.notifyAfter = settings.notifyAfter();
	}

	@Override
	public void perform(String id, List<OrderSnapshot> snapshots) throws Exception {
		boolean alone = this.performing.add(id);
		try {
			if (!alone) {
				this.facts.overlapped(id);
			}
			performAlone(id, snapshots);
		}
		finally {
			if (alone) {
				this.performing.remove(id);
			}
		}
	}

	@Override
	public Duration retryIn(int retryCount, Throwable error) {
		return Duration.ofSeconds(1);
	}

	@Override
	public void retriesExhausted(String id, OrderSnapshot payload, Throwable error) {
		this.facts.buried(id);
		logger.info("Order {}, version {} goes to the morgue: {}", id, payload.version(), error.getMessage());
	}

	private void performAlone(String id, List<OrderSnapshot> snapshots) throws Exception {
		long token = this.context.fencingToken();
		this.facts.begin(id, token);
		boolean done = false;
		try {
			boolean stale = replicate(id, snapshots, token);
			this.facts.performed(id, token, snapshots.size() - 1, stale, this.context.isLeaseLost());
			done = true;
		}
		finally {
			if (!done) {
				this.facts.failed(id, token, this.context.isLeaseLost());
			}
		}
	}

	private boolean replicate(String id, List<OrderSnapshot> snapshots, long token) throws InterruptedException {
		if (!isAscending(snapshots)) {
			this.facts.disordered(id);
		}
		OrderSnapshot newest = snapshots.get(snapshots.size() - 1);
		OptionalLong version = this.orders.version(id);
		if (version.isPresent() && version.getAsLong() > newest.version()) {
			return true;
		}
		this.warehouse.book(id, newest, this.context.retryCount() + 1);
		if (this.orders.write(id, newest, token)) {
			this.facts.regressed(id);
		}
		this.lowkiq.enqueue(OrderIndexer.class,
				JobRequest.of(id, new IndexEntry(newest.version(), newest.status())).score(newest.score()));
		this.lowkiq.enqueue(NotificationWorker.class,
				JobRequest.of(id, new Notification(newest.status())).performIn(this.notifyAfter));
		return false;
	}

	private static boolean isAscending(List<OrderSnapshot> snapshots) {
		for (int i = 1; i < snapshots.size(); i++) {
			if (snapshots.get(i - 1).version() > snapshots.get(i).version()) {
				return false;
			}
		}
		return true;
	}

}
