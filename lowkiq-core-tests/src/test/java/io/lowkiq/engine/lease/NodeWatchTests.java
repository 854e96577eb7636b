package io.lowkiq.engine.lease;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

import io.lowkiq.StoreException;
import io.lowkiq.engine.runtime.SystemRuntime;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.node.Assignment;
import io.lowkiq.store.node.EndedNode;
import io.lowkiq.store.node.Forgotten;
import io.lowkiq.store.node.Member;
import io.lowkiq.store.node.Membership;
import io.lowkiq.store.node.NodeInfo;
import io.lowkiq.store.node.NodeRegistry;
import io.lowkiq.testing.LogLines;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;

/** One round of the watch after the other, without its thread. */
class NodeWatchTests {

	private static final Duration LEASE = Duration.ofSeconds(10);

	private final AtomicLong nanos = new AtomicLong();

	private final TestRegistry registry = new TestRegistry();

	private final StoreAvailability availability = new StoreAvailability(
			new StateLock(new SystemRuntime(System::nanoTime)), () -> {
			});

	private Session session = new Session("own-1", Duration.ofHours(1).toNanos(), this.nanos::get);

	private final List<String> seen = new ArrayList<>();

	private @Nullable RuntimeException groupsFailure;

	private final NodeWatch watch = new NodeWatch(this.registry,
			new Assigner(this.registry, InMemoryRedis.newStore(InstantSource.system()).queues()), this::readGroups,
			() -> this.session, this.availability, new SystemRuntime(this.nanos::get),
			(session, membership, assigned) -> this.seen.add("assigned"), (lapsed) -> this.seen.add("lapsed"),
			(current, membership) -> this.seen.add("round"));

	@RegisterExtension
	private final LogLines log = new LogLines("io.lowkiq");

	private void readGroups() {
		RuntimeException failure = this.groupsFailure;
		if (failure != null) {
			throw failure;
		}
	}

	/** Else jobs of a paused group could begin. */
	@Test
	void shardsWaitUntilItIsKnownWhatIsSetForGroups() {
		this.groupsFailure = new StoreException("down", null);
		this.watch.round();
		assertThat(this.seen).isEmpty();
		this.groupsFailure = null;
		this.watch.round();
		assertThat(this.seen).containsExactly("assigned", "round");
	}

	@BeforeEach
	void listen() {
		this.watch.seen(members());
	}

	@Test
	void whateverAStepThrowsTheOthersAreTakenAndOneLineIsLogged() {
		this.registry.assigned = new IllegalStateException("out of order");
		this.registry.dead = true;
		this.watch.seen(members());
		this.watch.round();
		this.nanos.addAndGet(LEASE.multipliedBy(2).toNanos());
		for (int i = 0; i < 20; i++) {
			this.watch.round();
		}
		assertThat(this.seen).containsOnly("round").hasSize(21);
		assertThat(this.registry.ended).contains("other-1");
		assertThat(this.availability.problem()).contains("out of order");
		assertThat(this.log.events()).filteredOn((line) -> line.getThrowableProxy() != null).hasSize(1);
		assertThat(this.watch.round()).isGreaterThan(Duration.ofSeconds(1).toNanos());
		this.registry.assigned = null;
		this.watch.round();
		assertThat(this.seen).contains("assigned");
		assertThat(this.availability.problem()).isNull();
	}

	/** While a question is on its way, the heartbeats of others may be, too. */
	@Test
	void theLeaseOfAnotherNodeIsCountedFromTheAnswerOnAndNotFromTheQuestion() {
		this.registry.dead = true;
		this.registry.takes = LEASE.toNanos();
		this.nanos.addAndGet(Duration.ofSeconds(1).toNanos());
		this.watch.changed();
		this.watch.round();
		this.registry.takes = 0;
		this.nanos.addAndGet(LEASE.dividedBy(2).toNanos());
		this.watch.round();
		assertThat(this.registry.ended).isEmpty();
		this.nanos.addAndGet(LEASE.toNanos());
		this.watch.round();
		assertThat(this.registry.ended).containsExactly("other-1");
		assertThat(this.registry.crashed).containsExactly(true);
	}

	@Test
	void aSessionThatDiedWhileTheStoreCouldNotBeReachedIsEndedWithoutACrash() {
		this.registry.dead = true;
		this.watch.seen(members());
		this.watch.round();
		this.nanos.addAndGet(LEASE.multipliedBy(2).toNanos());
		this.session = new Session("own-2", Duration.ofHours(1).toNanos(), this.nanos::get);
		this.watch.seen(members());
		this.watch.round();
		assertThat(this.registry.ended).containsExactly("other-1");
		assertThat(this.registry.crashed).containsExactly(false);
	}

	private static Member member(String session) {
		return new Member(session, 1, new NodeInfo(session, 0, LEASE, Set.of("orders"), false));
	}

	private Membership members() {
		return new Membership(true,
				this.registry.dead ? List.of(member("own-1"), member("other-1")) : List.of(member("own-1")), Map.of(),
				1);
	}

	/** With another node, which sends no heartbeats. */
	private final class TestRegistry implements NodeRegistry {

		private final List<String> ended = new ArrayList<>();

		private final List<Boolean> crashed = new ArrayList<>();

		private RuntimeException assigned;

		private boolean dead;

		/** How long an answer takes, in nanoseconds. */
		private long takes;

		@Override
		public Membership join(String session, NodeInfo info) {
			throw new UnsupportedOperationException();
		}

		@Override
		public Membership beat(String session, NodeInfo info) {
			throw new UnsupportedOperationException();
		}

		@Override
		public Membership members() {
			NodeWatchTests.this.nanos.addAndGet(this.takes);
			return NodeWatchTests.this.members();
		}

		@Override
		public boolean end(String session, long beats, boolean crashed) {
			this.ended.add(session);
			this.crashed.add(crashed);
			return false;
		}

		@Override
		public void leave(String session) {
			throw new UnsupportedOperationException();
		}

		@Override
		public boolean assign(Assignment assignment) {
			return true;
		}

		@Override
		public Assignment assignment() {
			return Assignment.NONE;
		}

		@Override
		public AssignedShards assignedTo(String session) {
			if (this.assigned != null) {
				throw this.assigned;
			}
			return new AssignedShards(1, Set.of());
		}

		@Override
		public void report(String session, String status) {
			throw new UnsupportedOperationException();
		}

		@Override
		public Map<String, String> reports() {
			throw new UnsupportedOperationException();
		}

		@Override
		public Map<String, String> lastReports(Collection<String> sessions) {
			return Map.of();
		}

		@Override
		public List<EndedNode> endedNodes() {
			throw new UnsupportedOperationException();
		}

		@Override
		public boolean recordForgotten(Forgotten forgotten) {
			return false;
		}

		@Override
		public List<Forgotten> forgotten() {
			return List.of();
		}

		@Override
		public long now() {
			return 0;
		}

	}

}
