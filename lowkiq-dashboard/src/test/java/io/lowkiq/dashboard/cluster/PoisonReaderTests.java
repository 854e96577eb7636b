package io.lowkiq.dashboard.cluster;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.Acquisition;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.Lease;
import io.lowkiq.store.LeaseRequest;
import io.lowkiq.store.job.NewPayload;
import io.lowkiq.store.job.Outcome;
import io.lowkiq.store.job.Shard;
import io.lowkiq.store.node.NodeInfo;
import io.lowkiq.testing.Intercepted;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests of {@link PoisonReader}. */
class PoisonReaderTests {

	private final RedisStore store = InMemoryRedis.newStore(InstantSource.system());

	private final Shard shard = this.store.queues().register("pictures", 1).shard(0);

	private final ClusterReader reader = new ClusterReader(this.store, InstantSource.system());

	private final PoisonReader poison = new PoisonReader(this.store, this.reader, InstantSource.system());

	private List<String> sentences() {
		this.reader.forget();
		this.poison.forget();
		List<Found> found = new ArrayList<>();
		this.poison.addTo(found, this.reader.recent());
		return found.stream().map(Found::sentence).toList();
	}

	/** Begins a node that takes the shard over from another one, and fetches all. */
	private Lease node(String name, LeaseRequest request) {
		this.store.nodes().join(name, new NodeInfo(name, 1, Duration.ofHours(1), Set.of("pictures"), false));
		Lease lease = ((Acquisition.Acquired) this.store.shards().acquire(this.shard, request).join()).lease();
		this.store.shards().completeAndFetch(lease, 1, 0, List.of(), new Fetch(10, 10, true)).join();
		return lease;
	}

	private void enqueue(String... ids) {
		for (String id : ids) {
			this.store.shards().enqueue(this.shard, List.of(NewPayload.of(id, new byte[] { 1 })));
		}
	}

	private void report(String node, String id) {
		this.store.nodes()
			.report(node,
					"{\"threadCount\":1,\"threads\":[{\"name\":\"t\",\"queue\":\"pictures\",\"shard\":0,\"ids\":[\"%s\"]}]}"
						.formatted(id));
	}

	private void crash(String node) {
		assertThat(this.store.nodes().end(node, 0, true)).isTrue();
	}

	@Test
	void namesAJobThatIsBusyOnTheSecondNodeThatCrashed() {
		enqueue("poison");
		node("n1", LeaseRequest.forFreeShard("n1"));
		crash("n1");
		assertThat(sentences()).isEmpty();
		node("n2", LeaseRequest.afterCrash("n2", "n1"));
		assertThat(sentences()).as("it runs for the second time").isEmpty();
		crash("n2");
		assertThat(sentences()).containsExactly("Job 'poison' of queue pictures was running when 2 nodes ended. "
				+ "It runs again as soon as a node takes over shard 0.");
		this.store.actions().hold(this.shard, List.of("poison"));
		assertThat(sentences()).isEmpty();
	}

	@Test
	void afterOneCrashNoJobIsRead() {
		enqueue("42");
		node("n1", LeaseRequest.forFreeShard("n1"));
		crash("n1");
		RedisStore unread = Intercepted.of(RedisStore.class, this.store, (method, call) -> {
			throw new AssertionError(method);
		});
		List<Found> found = new ArrayList<>();
		new PoisonReader(unread, this.reader, InstantSource.system()).addTo(found, this.reader.recent());
		assertThat(found).isEmpty();
	}

	@Test
	void namesASuspectAndOneThatRunsAgain() {
		enqueue("poison");
		node("n1", LeaseRequest.forFreeShard("n1"));
		crash("n1");
		node("n2", LeaseRequest.afterCrash("n2", "n1"));
		crash("n2");
		node("n3", LeaseRequest.afterCrash("n3", "n2"));
		assertThat(sentences()).containsExactly(
				"Job 'poison' of queue pictures was running when 2 nodes ended. It is running again, on node n3.");
		this.store.nodes().leave("n3");
		((Acquisition.Acquired) this.store.shards().acquire(this.shard, LeaseRequest.afterLapse("n4", "n3")).join())
			.lease();
		assertThat(sentences())
			.containsExactly("Job 'poison' of queue pictures was running when 2 nodes ended. It waits to run alone.");
	}

	@Test
	void namesAJobThatTwoNodesReportedLast() {
		enqueue("poison", "other");
		node("n1", LeaseRequest.forFreeShard("n1"));
		report("n1", "poison");
		crash("n1");
		Lease lease = node("n2", LeaseRequest.afterLapse("n2", "n1"));
		report("n2", "poison");
		crash("n2");
		assertThat(sentences()).containsExactly("Job 'poison' of queue pictures was running when 2 nodes ended. "
				+ "It runs again as soon as a node takes over shard 0.");
		this.store.shards().completeAndFetch(lease, 2, 2, List.of(new Outcome.Done("poison")), Fetch.NONE).join();
		assertThat(sentences()).as("of a job that is done").isEmpty();
	}

	@Test
	void aJobThatRanOutOfMemoryHasEndedNoNode() {
		enqueue("large");
		Lease lease = node("n1", LeaseRequest.forFreeShard("n1"));
		this.store.shards()
			.completeAndFetch(lease, 2, 1, List.of(new Outcome.Retry("large", 0, "out of memory", true)), Fetch.NONE)
			.join();
		assertThat(sentences()).isEmpty();
		this.store.nodes().join("n0", new NodeInfo("n0", 1, Duration.ofHours(1), Set.of("pictures"), false));
		crash("n0");
		assertThat(sentences()).isEmpty();
	}

}
