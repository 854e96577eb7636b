package io.lowkiq.engine.lease;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.node.Assignment;
import io.lowkiq.store.node.Member;
import io.lowkiq.store.node.Membership;
import io.lowkiq.store.node.NodeInfo;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Which sessions get shards, and which one assigns them. */
class AssignerTests {

	private final RedisStore store = InMemoryRedis.newStore(InstantSource.system());

	@Test
	void ofANodeWithTwoSessionsOnlyTheYoungerOneGetsShards() {
		QueueLayout layout = this.store.queues().register("orders", 4);
		assigner().assigned(session("b-1"), living("a-1", "b-1", "a-2"));
		Assignment assignment = this.store.nodes().assignment();
		assertThat(assignment.owners()).hasSize(layout.shards());
		assertThat(assignment.of("a-1")).isEmpty();
		assertThat(assignment.of("b-1")).hasSize(2);
		assertThat(assignment.of("a-2")).hasSize(2);
	}

	@Test
	void ofANodeWithTwoSessionsOnlyTheYoungerOneAssigns() {
		this.store.queues().register("orders", 4);
		assertThat(assigner().assigned(session("a-1"), living("a-1", "a-2", "b-1"))).isEmpty();
		assertThat(this.store.nodes().assignment()).isEqualTo(Assignment.NONE);
		assertThat(assigner().assigned(session("a-2"), living("a-1", "a-2", "b-1"))).hasSize(2);
	}

	private Assigner assigner() {
		return new Assigner(this.store.nodes(), this.store.queues());
	}

	private static Session session(String id) {
		return new Session(id, System.nanoTime() + Duration.ofMinutes(1).toNanos(), System::nanoTime);
	}

	/** The longest living first. */
	private static Membership living(String... sessions) {
		List<Member> members = Stream.of(sessions)
			.map((id) -> new Member(id, 1,
					new NodeInfo(Session.family(id), 0, Duration.ofMinutes(1), Set.of("orders"), false)))
			.toList();
		return new Membership(true, members, Map.of(), 0);
	}

}
