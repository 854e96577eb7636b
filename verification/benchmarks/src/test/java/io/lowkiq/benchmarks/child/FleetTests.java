package io.lowkiq.benchmarks.child;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.Shard;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Shards are distributed evenly when each has one holder and no node could take one off
 * another.
 */
class FleetTests {

	private static final QueueLayout LAYOUT = new QueueLayout("orders", 1, 10);

	private static Set<Shard> shards(int... indexes) {
		return IntStream.of(indexes).mapToObj(LAYOUT::shard).collect(Collectors.toSet());
	}

	@Test
	void nodesMayDifferByOneShard() {
		assertThat(Fleet.isEven(List.of(shards(0, 1), shards(2), shards(3, 4)), 5)).isTrue();
	}

	@Test
	void twoShardsMoreAreUneven() {
		assertThat(Fleet.isEven(List.of(shards(0, 1, 2), shards(3), shards(4, 5)), 6)).isFalse();
	}

	@Test
	void shardWithoutAHolderIsMissed() {
		assertThat(Fleet.isEven(List.of(shards(0, 1), shards(2)), 4)).isFalse();
	}

	@Test
	void shardWithTwoHoldersCountsForNeither() {
		assertThat(Fleet.isEven(List.of(shards(0, 1), shards(1, 2)), 4)).isFalse();
	}

}
