package io.lowkiq.engine.schedule;

import java.util.List;
import java.util.stream.Stream;

import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.job.Shard;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class ShardSplitterTests {

	private final List<Shard> shards = Stream
		.of(new QueueLayout("A", 1, 3), new QueueLayout("B", 1, 4), new QueueLayout("C", 1, 1),
				new QueueLayout("D", 1, 2))
		.flatMap((queue) -> queue.allShards().stream())
		.toList();

	@Test
	void defaultSharesAllShards() {
		assertThat(new DefaultShardSplitter().forNode(this.shards)).isEqualTo(this.shards);
		assertThat(new DefaultShardSplitter().isShared()).isTrue();
	}

	@Test
	void byNodeGivesEachNodeItsFixedShare() {
		ByNodeShardSplitter first = new ByNodeShardSplitter(2, 0);
		ByNodeShardSplitter second = new ByNodeShardSplitter(2, 1);
		assertThat(names(List.of(first.forNode(this.shards), second.forNode(this.shards))))
			.containsExactly("A0 A2 B1 B3 D0", "A1 B0 B2 C0 D1");
		assertThat(first.isShared()).isFalse();
	}

	@Test
	void byNodeRefusesANumberThatIsNotANodes() {
		assertThatIllegalArgumentException().isThrownBy(() -> new ByNodeShardSplitter(2, 2))
			.withMessageContaining("between 0 and 1");
		assertThatIllegalArgumentException().isThrownBy(() -> new ByNodeShardSplitter(0, 0));
	}

	private static List<String> names(List<List<Shard>> lists) {
		return lists.stream()
			.map((list) -> String.join(" ", list.stream().map((shard) -> shard.queue() + shard.index()).toList()))
			.toList();
	}

}
