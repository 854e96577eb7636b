package io.lowkiq.engine;

import java.lang.reflect.Type;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

import io.lowkiq.BuryException;
import io.lowkiq.FailurePolicy;
import io.lowkiq.codec.JacksonPayloadCodec;
import io.lowkiq.LowkiqClient;
import io.lowkiq.PayloadCodec;
import io.lowkiq.PayloadException;
import io.lowkiq.PayloadWorker;
import io.lowkiq.RetriesExhausted;
import io.lowkiq.Worker;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.inspection.ShardCounts;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static io.lowkiq.engine.ServerFixture.PATIENCE;
import static io.lowkiq.engine.ServerFixture.settings;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** What the policies of a worker mean for a running server. */
class PolicyTests {

	@AutoClose
	private final ServerFixture fixture = new ServerFixture();

	/** Reads what an old version of an application can read. */
	private static final class OldCodec implements PayloadCodec {

		private final PayloadCodec codec = new JacksonPayloadCodec();

		@Override
		public byte[] encode(Object payload, Type type) {
			return this.codec.encode(payload, type);
		}

		@Override
		public Object decode(byte[] bytes, Type type) {
			Object decoded = this.codec.decode(bytes, type);
			if ((Integer) decoded >= 100) {
				throw new PayloadException("Of a newer version");
			}
			return decoded;
		}

	}

	@Test
	void badPayloadsArePerformedOnceAndHoldNothingUp() {
		Map<String, List<Integer>> done = new ConcurrentHashMap<>();
		Map<Integer, Integer> bad = new ConcurrentHashMap<>();
		this.fixture.worker("orders", settings(2, 1, 5), (PayloadWorker<Integer>) (id, number) -> {
			if (number % 20 == 0) {
				bad.merge(number, 1, Integer::sum);
				throw new BuryException("bad");
			}
			done.computeIfAbsent(id, (key) -> new CopyOnWriteArrayList<>()).add(number);
		});
		this.fixture.started();
		LowkiqClient client = this.fixture.client();
		for (int i = 1; i <= 400; i++) {
			client.enqueue("orders", "id" + i % 37, i);
		}
		await().atMost(PATIENCE).until(() -> this.fixture.isEmpty("orders"));
		assertThat(done.values().stream().mapToInt(List::size).sum()).isEqualTo(380);
		assertThat(done.values()).allSatisfy((numbers) -> assertThat(numbers).isSorted());
		assertThat(bad).hasSize(20);
		assertThat(bad.values()).containsOnly(1);
		assertThat(this.fixture.counts("orders").stream().mapToLong(ShardCounts::dead).sum()).isEqualTo(20);
	}

	@Test
	void deployLosesNothingThatOldNodesCanNotRead() {
		List<Integer> seen = new CopyOnWriteArrayList<>();
		this.fixture.worker("orders", settings(1, 1, 5), (Worker<Integer>) (id, numbers) -> seen.addAll(numbers));
		LowkiqServer old = this.fixture.started((builder) -> builder.codec(new OldCodec()));
		LowkiqClient client = this.fixture.client();
		for (int number : List.of(1, 100, 2)) {
			client.enqueue("orders", "a", number);
		}
		await().atMost(PATIENCE)
			.until(() -> this.fixture.inspection.find(this.fixture.shard("orders", 0), JobView.State.QUEUED, "a", 10)
				.filter((job) -> job.error() != null)
				.isPresent());
		this.fixture.started();
		assertThat(old.stop(Duration.ofSeconds(10))).isTrue();
		await().atMost(PATIENCE).until(() -> seen.size() == 3);
		assertThat(seen).containsExactly(1, 100, 2);
		await().atMost(PATIENCE).until(() -> this.fixture.isEmpty("orders"));
		ShardCounts counts = this.fixture.counts("orders", 0);
		assertThat(counts.dead()).isZero();
		assertThat(counts.failed()).isZero();
	}

	@Test
	void newerPayloadsGatherBehindAJobOnHold() {
		FailurePolicy policy = new FailurePolicy(Set.of(), Set.of(), RetriesExhausted.HOLD);
		List<Integer> seen = new CopyOnWriteArrayList<>();
		this.fixture.worker("orders", settings(1, 1, 0).with(policy), (Worker<Integer>) (id, numbers) -> {
			if (numbers.contains(1) && numbers.size() == 1) {
				throw new IllegalStateException("alone");
			}
			seen.addAll(numbers);
		});
		ServerFixture.awaitHeld(1, this.fixture.started());
		LowkiqClient client = this.fixture.client();
		client.enqueue("orders", "a", 1);
		await().atMost(PATIENCE).until(() -> this.fixture.counts("orders", 0).held() == 1);
		client.enqueue("orders", "a", 2);
		client.enqueue("orders", "b", 3);
		await().atMost(PATIENCE).until(() -> seen.contains(3));
		assertThat(seen).containsExactly(3);
		assertThat(this.fixture.job("orders", JobView.State.QUEUED, "a").payloadCount()).isEqualTo(2);
	}

}
