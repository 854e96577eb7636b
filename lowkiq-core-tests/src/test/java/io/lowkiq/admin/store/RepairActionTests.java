package io.lowkiq.admin.store;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import io.lowkiq.admin.ActionProgress;
import io.lowkiq.admin.ActionResult;
import io.lowkiq.admin.AdminAction;
import io.lowkiq.admin.AdminEvent;
import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.Shard;
import io.lowkiq.testing.TestAdmin;
import io.lowkiq.testing.TestOutbox;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The repair of a whole queue, in steps. */
class RepairActionTests {

	private final InMemoryRedis server = new InMemoryRedis(Instant::now);

	private final RedisStore store = this.server.store();

	private final List<AdminEvent> events = new ArrayList<>();

	private final LowkiqAdmin admin = TestAdmin.of(this.store, this.events::add, new TestOutbox());

	/** 1,000 delayed jobs that are in no index. */
	private void strand() {
		QueueLayout queue = this.store.queues().register("orders", 2);
		for (Shard shard : queue.allShards()) {
			this.store.shards()
				.enqueue(shard,
						IntStream.range(0, 500)
							.mapToObj((i) -> NewPayload.of("id " + i, new byte[0])
								.withPerformAt(Instant.now().toEpochMilli() + 3_600_000))
							.toList());
			this.server.call(bytes("DEL"), bytes("lowkiq:{" + shard + "}:delayed")).join();
		}
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	@Test
	void jobsOfAllShardsAreRepairedAndTheEventSaysSo() {
		strand();
		assertThat(this.admin.repair("orders")).isEqualTo(1_000);
		assertThat(this.admin.repair("orders")).isZero();
		assertThat(this.admin.act("orders", AdminAction.PERFORM_ALL_NOW, List.of(), ActionProgress.NONE).changed())
			.isEqualTo(1_000);
		assertThat(this.events).extracting(AdminEvent::message)
			.startsWith("1,000 jobs were repaired.", "0 jobs were repaired.");
	}

	@Test
	void repairIsStoppedBetweenTwoSteps() {
		strand();
		List<Long> looked = new ArrayList<>();
		ActionResult result = this.admin.act("orders", AdminAction.REPAIR, List.of(), (changed, total) -> {
			assertThat(total).isEqualTo(1_000);
			looked.add(changed);
			return looked.size() < 3;
		});
		assertThat(result.complete()).isFalse();
		assertThat(looked).hasSize(3).isSorted();
		assertThat(result.changed()).isEqualTo(looked.get(2)).isLessThan(1_000);
	}

}
