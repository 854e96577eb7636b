package io.lowkiq.store;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.inspection.LivingNodes;
import io.lowkiq.store.node.Member;
import io.lowkiq.store.node.NodeInfo;
import io.lowkiq.store.node.NodeRegistry;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LivingNodesTests {

	private static final NodeInfo INFO = new NodeInfo("node", 42, Duration.ofSeconds(15), Set.of(), false);

	private final AtomicLong nanos = new AtomicLong();

	private final NodeRegistry nodes = InMemoryRedis.newStore(InstantSource.system()).nodes();

	private final LivingNodes living = new LivingNodes(this.nodes, this.nanos::get);

	@Test
	void aNodeIsDeadWhoseHeartbeatsStandStillThoughNobodyHasEndedItsSession() {
		this.nodes.join("dead", INFO);
		this.nodes.join("alive", INFO);
		assertThat(sessions(this.living.look().living())).containsExactly("dead", "alive");
		this.nanos.addAndGet(Duration.ofSeconds(14).toNanos());
		assertThat(sessions(this.living.look().living())).containsExactly("dead", "alive");
		this.nodes.beat("alive", INFO);
		this.nanos.addAndGet(Duration.ofSeconds(14).toNanos());
		assertThat(sessions(this.living.look().living())).containsExactly("alive");
		assertThat(sessions(this.living.look().dead())).containsExactly("dead");
	}

	private static List<String> sessions(List<Member> members) {
		return members.stream().map(Member::session).toList();
	}

}
