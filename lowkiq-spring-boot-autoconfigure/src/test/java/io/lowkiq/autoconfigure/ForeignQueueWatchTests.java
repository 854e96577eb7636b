package io.lowkiq.autoconfigure;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.lowkiq.admin.ForeignQueues.ForeignQueue;
import io.lowkiq.admin.ForeignQueues.Kind;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class ForeignQueueWatchTests {

	private List<ForeignQueue> queues = List.of();

	private Set<String> left = Set.of();

	private final ForeignQueueWatch watch = new ForeignQueueWatch(() -> this.queues, () -> this.left);

	private void look(Kind kind, Map<String, Set<String>> payloadTypes) {
		this.queues = List.of(new ForeignQueue("orders", kind, new TreeMap<>(payloadTypes), Set.of()));
		this.watch.loop().runOnce();
		this.watch.loop().runOnce();
	}

	@Test
	void saysOncePerChangeThatAnotherApplicationUsesAQueue(CapturedOutput output) {
		look(Kind.FOREIGN, Map.of("shop", Set.of("Order"), "billing", Set.of("Invoice")));
		assertThat(output).containsOnlyOnce(
				"Queue 'orders' belongs to several applications with different payloads: billing (Invoice), shop (Order)");
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
		assertThat(output).doesNotContain("Queue 'orders'");
	}

}
