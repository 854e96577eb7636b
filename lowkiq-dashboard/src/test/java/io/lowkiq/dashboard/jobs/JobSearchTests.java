package io.lowkiq.dashboard.jobs;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import io.lowkiq.dashboard.PayloadMasker;
import io.lowkiq.dashboard.PayloadVisibility;
import io.lowkiq.dashboard.cluster.ClusterReader;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.testing.TestQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests of {@link JobSearch}. */
class JobSearchTests {

	private final RedisStore store = InMemoryRedis.newStore(InstantSource.system());

	private Instant now = Instant.now();

	/** Each look takes longer than a request may. */
	private final InstantSource slow = () -> {
		this.now = this.now.plus(Deadline.REQUEST).plusSeconds(1);
		return this.now;
	};

	@Test
	void lookUpsInManyQueuesAreSpreadOverRequests() {
		List<String> queues = IntStream.range(0, 5).mapToObj((i) -> "queue-" + i).toList();
		queues.forEach((queue) -> new TestQueue(this.store, queue, 3).enqueue("find-me", "find-me-too"));
		JobSearch search = new JobSearch(this.store, new ClusterReader(this.store, InstantSource.system()),
				new PayloadText.Renderer(PayloadVisibility.SHOWN, PayloadMasker.values()), this.slow);
		List<String> found = new ArrayList<>();
		int requests = 0;
		@Nullable String next = null;
		do {
			JobDocuments.Search answer = search.search("find-me", JobSearch.In.IDS, next, 10);
			assertThat(answer.hits()).hasSizeLessThanOrEqualTo(2);
			answer.hits().forEach((hit) -> found.add(hit.queue() + " " + hit.job().id()));
			next = answer.next();
			requests++;
		}
		while (next != null);
		assertThat(requests).isGreaterThan(queues.size());
		assertThat(found).hasSize(10)
			.doesNotHaveDuplicates()
			.startsWith(queues.stream().map((queue) -> queue + " find-me").toArray(String[]::new));
	}

}
