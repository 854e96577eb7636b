package io.lowkiq.dashboard.cluster;

import java.util.List;
import java.util.Map;
import java.util.Set;

import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.inspection.QueueSnapshot;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.store.job.Shard;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests of {@link ClusterViews}. */
class ClusterViewsTests {

	@Test
	void theStatisticsAreThoseOfTheGemWithTheLagInSeconds() {
		ClusterSnapshot reading = new ClusterSnapshot(10_000,
				List.of(queue("mails", counts("mails", 0, 0, 0, 1, 10_000)),
						queue("orders", counts("orders", 0, 2, 3, 4, 7_499), counts("orders", 1, 5, 0, 6, 9_000))),
				List.of(), List.of(), List.of(), Map.of());
		assertThat(JsonMapper.shared().writeValueAsString(ClusterViews.stats(reading))).isEqualTo("""
				{"total":{"length":10,"morgue_length":11,"lag":2.501},\
				"by_worker":{"mails":{"length":0,"morgue_length":1,"lag":0.000},\
				"orders":{"length":10,"morgue_length":10,"lag":2.501}}}""");
	}

	private static QueueSnapshot queue(String name, ShardCounts... shards) {
		return new QueueSnapshot(new QueueLayout(name, 1, shards.length), List.of(shards), Set.of());
	}

	private static ShardCounts counts(String queue, int index, long fresh, long retry, long dead, long oldest) {
		return new ShardCounts(new Shard(queue, 1, index), fresh, retry, 0, dead, 0, 0, oldest, 0, 0, false, null, 0, 0,
				10_000, 0, false, 0, 0, oldest, List.of());
	}

}
