package io.lowkiq.autoconfigure;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.lowkiq.StoreException;
import io.lowkiq.admin.ForeignQueues.ForeignQueue;
import io.lowkiq.admin.ForeignQueues.Kind;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.inspection.StrandedShards;
import io.lowkiq.store.job.Shard;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class QueueWatchTests {

	private List<String> unserved = List.of();

	private boolean isAway;

	/** As of a JVM whose clock began later. */
	private long now = -TimeUnit.HOURS.toNanos(1);

	private List<StrandedShards> stranded = List.of();

	private List<ForeignQueue> queues = List.of();

	private Set<String> left = Set.of();

	private final QueueWatch watch = new QueueWatch(this::find, () -> this.stranded, () -> this.queues, () -> this.left,
			() -> this.now);

	private List<String> find() {
		if (this.isAway) {
			throw new StoreException("away", null);
		}
		return this.unserved;
	}

	@Test
	void saysOnceThatAQueueStaysUnserved(CapturedOutput output) {
		this.unserved = List.of("old");
		lookAfter(0);
		lookAfter(119);
		assertThat(output).doesNotContain("old");
		lookAfter(1);
		lookAfter(500);
		this.isAway = true;
		lookAfter(500);
		this.isAway = false;
		lookAfter(500);
		assertThat(output).containsOnlyOnce("No node serves queue 'old' any more");
	}

	@Test
	void saysNothingOfADeployAndSpeaksAgainAfterIt(CapturedOutput output) {
		this.unserved = List.of("old");
		lookAfter(0);
		lookAfter(100);
		this.unserved = List.of();
		lookAfter(10);
		this.unserved = List.of("old");
		lookAfter(20);
		lookAfter(119);
		assertThat(output).doesNotContain("old");
		lookAfter(1);
		assertThat(output).containsOnlyOnce("No node serves queue 'old' any more");
	}

	@Test
	void saysOnceThatNobodyPerformsJobsThoughTheyBecomeMore(CapturedOutput output) {
		for (int jobs = 1; jobs <= 3; jobs++) {
			this.stranded = List.of(new StrandedShards(new QueueLayout("orders", 1, 5),
					List.of(new Shard("orders", 2, 0)), jobs, "set the field"));
			lookAfter(120);
		}
		assertThat(output)
			.containsOnlyOnce("Queue 'orders' has jobs of generation 2, which nobody performs. Its record "
					+ "in Redis has gone back to generation 1. When its other jobs are done, set the field, and restart");
	}

	private void lookAfter(int seconds) {
		this.now += TimeUnit.SECONDS.toNanos(seconds);
		this.watch.loop().runOnce();
	}

	private void look(Kind kind, Map<String, Set<String>> payloadTypes) {
		this.queues = List.of(new ForeignQueue("orders", kind, new TreeMap<>(payloadTypes), Set.of()));
		this.watch.loop().runOnce();
		this.watch.loop().runOnce();
	}

	@Test
	void saysOncePerChangeThatAnotherApplicationUsesAQueue(CapturedOutput output) {
		look(Kind.FOREIGN, Map.of("shop", Set.of("Order"), "billing", Set.of("Invoice")));
		assertThat(output).containsOnlyOnce(
				"Queue orders is served by several applications with different payloads: billing (Invoice), shop (Order)");
		look(Kind.FOREIGN, Map.of("shop", Set.of("Order"), "audit", Set.of("Record")));
		assertThat(output).containsOnlyOnce("different payloads: audit (Record), shop (Order)");
		this.queues = List.of();
		this.watch.loop().runOnce();
		look(Kind.FOREIGN, Map.of("shop", Set.of("Order"), "billing", Set.of("Invoice")));
		assertThat(output.toString().split("billing \\(Invoice\\)", -1)).hasSize(3);
	}

	@Test
	void saysHowApplicationsShareAQueueOnPurpose(CapturedOutput output) {
		look(Kind.SHARED, Map.of("shop", Set.of("Order"), "night-shift", Set.of("Order")));
		assertThat(output)
			.containsOnlyOnce("several applications with the same payloads: night-shift (Order), shop (Order)")
			.contains("set lowkiq.workers.orders.shared=true in each");
	}

	@Test
	void saysThatADeployMayLookLikeTwoApplications(CapturedOutput output) {
		look(Kind.UNNAMED, Map.of("", new TreeSet<>(Set.of("Order", "PlacedOrder"))));
		assertThat(output)
			.containsOnlyOnce("different payloads: an application without a name (Order, PlacedOrder). "
					+ "A deploy that renames a class looks the same")
			.contains("set spring.application.name in each");
	}

	@Test
	void whatThisNodeLeavesToOthersHasBeenSaid(CapturedOutput output) {
		this.left = Set.of("orders");
		look(Kind.FOREIGN, Map.of("shop", Set.of("Order"), "billing", Set.of("Invoice")));
		assertThat(output).doesNotContain("Queue orders");
	}

}
