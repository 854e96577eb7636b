package io.lowkiq.dashboard.api;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

import io.lowkiq.dashboard.PayloadMasker;
import io.lowkiq.dashboard.PayloadVisibility;
import io.lowkiq.dashboard.cluster.ClusterReader;
import io.lowkiq.dashboard.jobs.JobDocuments;
import io.lowkiq.dashboard.jobs.JobLines;
import io.lowkiq.dashboard.jobs.PayloadText;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.testing.TestQueue;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/** How long requests about selections work. The contract of the API has the rest. */
class SelectionApiTests {

	private final RedisStore store = InMemoryRedis.newStore(InstantSource.system());

	/** Goes on by 400 ms with every look at it. */
	private final AtomicLong millis = new AtomicLong();

	private final InstantSource clock = () -> Instant.ofEpochMilli(this.millis.getAndAdd(400));

	private final SelectionApi api = new SelectionApi(this.store, new ClusterReader(this.store, InstantSource.system()),
			new PayloadText.Renderer(PayloadVisibility.SHOWN, PayloadMasker.values()), this.clock,
			JsonMapper.builder().build());

	private final TestQueue queue = new TestQueue(this.store, "orders", 1);

	@Test
	void countsForALimitedTime() {
		this.queue.enqueue(TestQueue.ids("", 9_000));
		JobDocuments.Count most = this.api.count(this.queue.layout(), request(Map.of("state", "ready")));
		assertThat(most.complete()).isFalse();
		assertThat(most.count()).isBetween(1_000L, 5_000L);
		assertThat(countAll(Map.of("state", "ready"))).isEqualTo(9_000);
		assertThat(countAll(Map.of("prefix", "1"))).isEqualTo(1_111);
	}

	private long countAll(Map<String, String> parameters) {
		JobDocuments.Count part = this.api.count(this.queue.layout(), request(parameters));
		long all = part.count();
		while (part.next() != null) {
			assertThat(part.complete()).isFalse();
			Map<String, String> next = new HashMap<>(parameters);
			next.put("after", part.next());
			part = this.api.count(this.queue.layout(), request(next));
			all += part.count();
		}
		assertThat(part.complete()).isTrue();
		return all;
	}

	@Test
	void aPageOfAnExportEndsWhenItsTimeIsUp() {
		this.queue.enqueue(TestQueue.ids("", 1_000));
		List<Integer> sizes = new ArrayList<>();
		Map<String, String> parameters = new HashMap<>(Map.of("state", "ready"));
		JobLines page;
		do {
			page = this.api.export(this.queue.layout(), request(parameters));
			sizes.add((int) new String(page.body()).lines().count());
			parameters.put("after", String.valueOf(page.next()));
		}
		while (page.next() != null);
		assertThat(sizes.stream().mapToInt(Integer::intValue).sum()).isEqualTo(1_000);
		assertThat(sizes).hasSizeGreaterThan(3).allMatch((size) -> size < 1_000);
	}

	private static ApiRequest request(Map<String, String> parameters) {
		Map<String, List<String>> query = new HashMap<>();
		parameters.forEach((name, value) -> query.put(name, List.of(value)));
		return new ApiRequest("GET", List.of(), query, new byte[0], null, null);
	}

}
