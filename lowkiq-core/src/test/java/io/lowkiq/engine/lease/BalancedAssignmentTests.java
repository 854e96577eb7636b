package io.lowkiq.engine.lease;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;

import io.lowkiq.engine.lease.BalancedAssignment.Node;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.job.Shard;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class BalancedAssignmentTests {

	private final QueueLayout orders = new QueueLayout("orders", 1, 60);

	@Test
	void oneNodeGetsAll() {
		assertThat(assign(List.of(this.orders), List.of(node("a")), Map.of())).hasSize(60).containsValue("a");
	}

	@Test
	void aThirdNodeMovesTwentyOfSixtyShards() {
		Map<Shard, String> two = assign(List.of(this.orders), List.of(node("a"), node("b")), Map.of());
		Map<Shard, String> three = assign(List.of(this.orders), List.of(node("a"), node("b"), node("c")), two);
		assertThat(counts(three)).isEqualTo(Map.of("a", 20, "b", 20, "c", 20));
		assertThat(moved(two, three)).isEqualTo(20);
	}

	@Test
	void aLeavingNodeMovesOnlyItsOwnShards() {
		Map<Shard, String> three = assign(List.of(this.orders), List.of(node("a"), node("b"), node("c")), Map.of());
		Map<Shard, String> two = assign(List.of(this.orders), List.of(node("a"), node("c")), three);
		assertThat(counts(two)).isEqualTo(Map.of("a", 30, "c", 30));
		assertThat(moved(three, two)).isEqualTo(20);
	}

	@Test
	void aNodeGetsOnlyShardsOfTheQueuesItServes() {
		QueueLayout mails = new QueueLayout("mails", 1, 4);
		List<Node> nodes = List.of(new Node("a", Set.of("orders")), new Node("b", Set.of("orders", "mails")));
		Map<Shard, String> result = assign(List.of(this.orders, mails), nodes, Map.of());
		assertThat(mails.allShards()).allSatisfy((shard) -> assertThat(result.get(shard)).isEqualTo("b"));
		assertThat(counts(result)).isEqualTo(Map.of("a", 30, "b", 34));
	}

	@Test
	void aQueueThatNobodyServesIsLeftOut() {
		assertThat(assign(List.of(this.orders), List.of(new Node("a", Set.of("mails"))), Map.of())).isEmpty();
	}

	@Test
	void queuesOfOneShardAreSpreadOverTheNodes() {
		List<QueueLayout> queues = new ArrayList<>();
		for (int i = 0; i < 9; i++) {
			queues.add(new QueueLayout("q" + i, 1, 1));
		}
		List<Node> nodes = List.of(anyQueue("a", queues), anyQueue("b", queues), anyQueue("c", queues));
		assertThat(counts(assign(queues, nodes, Map.of()))).isEqualTo(Map.of("a", 3, "b", 3, "c", 3));
	}

	@Test
	void anyMembershipIsSharedEvenlyAndTheResultIsStill() {
		long seed = new Random().nextLong();
		Random random = new Random(seed);
		Map<Shard, String> current = new HashMap<>();
		for (int round = 0; round < 500; round++) {
			List<QueueLayout> queues = new ArrayList<>();
			for (int i = 0; i < 4; i++) {
				queues.add(new QueueLayout("q" + i, 1, 1 + i * 7));
			}
			List<Node> nodes = new ArrayList<>();
			for (int i = 0; i < 7; i++) {
				if (random.nextBoolean()) {
					nodes.add(new Node("n" + i,
							queues.stream()
								.map(QueueLayout::name)
								.filter((name) -> random.nextInt(4) > 0)
								.collect(Collectors.toSet())));
				}
			}
			Map<Shard, String> result = assign(queues, nodes, current);
			for (QueueLayout queue : queues) {
				List<Node> serving = nodes.stream().filter((node) -> node.queues().contains(queue.name())).toList();
				for (Node node : serving) {
					long share = queue.allShards()
						.stream()
						.filter((shard) -> node.session().equals(result.get(shard)))
						.count();
					assertThat(share).as("seed %d round %d %s of %s", seed, round, node, queue)
						.isBetween((long) queue.shards() / serving.size(),
								(long) Math.ceil((double) queue.shards() / serving.size()));
				}
			}
			assertThat(assign(queues, nodes, result)).as("seed %d round %d", seed, round).isEqualTo(result);
			current = result;
		}
	}

	private static Map<Shard, String> assign(Collection<QueueLayout> queues, List<Node> nodes,
			Map<Shard, String> current) {
		return BalancedAssignment.assign(queues, nodes, current);
	}

	private static Node node(String session) {
		return new Node(session, Set.of("orders"));
	}

	private static Node anyQueue(String session, List<QueueLayout> queues) {
		return new Node(session, queues.stream().map(QueueLayout::name).collect(Collectors.toSet()));
	}

	private static Map<String, Integer> counts(Map<Shard, String> assignment) {
		Map<String, Integer> counts = new HashMap<>();
		assignment.values().forEach((session) -> counts.merge(session, 1, Integer::sum));
		return counts;
	}

	private static long moved(Map<Shard, String> before, Map<Shard, String> after) {
		return after.entrySet().stream().filter((e) -> !e.getValue().equals(before.get(e.getKey()))).count();
	}

}
