package io.lowkiq.engine;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Semaphore;

import io.lowkiq.Worker;
import io.lowkiq.memory.InMemoryStore;
import io.lowkiq.store.Acquisition;
import io.lowkiq.store.Assignment;
import io.lowkiq.store.Claim;
import io.lowkiq.store.Fetch;
import io.lowkiq.store.Lease;
import io.lowkiq.store.Member;
import io.lowkiq.store.Membership;
import io.lowkiq.store.NodeInfo;
import io.lowkiq.store.Outcome;
import io.lowkiq.store.NewPayload;
import io.lowkiq.store.EnqueueResult;
import io.lowkiq.store.Shard;
import io.lowkiq.store.ShardStore;
import io.lowkiq.store.StoreException;
import io.lowkiq.store.FetchResult;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static io.lowkiq.engine.ServerFixture.settings;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A node may hold a shard without knowing, after an answer that was lost. When the shard
 * is to be another node's, it must not stay so.
 */
class OwnershipTests {

	private static final String OTHER = "other-1";

	private final Shard shard = new Shard("orders", 1, 0);

	private final Session session = new Session("own-1", System.nanoTime() + Duration.ofHours(1).toNanos(),
			System::nanoTime);

	private final SlowStore store = new SlowStore();

	private final Ownership ownership;

	OwnershipTests() {
		InMemoryStore memory = this.store.memory;
		ServerParts parts = new ServerFixture(this.store, memory.queues(), memory.nodes(), memory.wakeUps(),
				memory.inspection())
			.worker("orders", settings(1, 1, 5), (Worker<Integer>) (id, payloads) -> {
			})
			.parts();
		ServedShards shards = new ServedShards(parts);
		shards.register();
		ShardWork work = new ShardWork(parts, new Lifecycle(), new StoreWatch(() -> {
		}), new Semaphore(1), () -> {
		});
		this.ownership = new Ownership(parts, shards, work, (other) -> false, (held) -> {
		});
	}

	@BeforeEach
	void giveUpAcquiring() {
		assertThatExceptionOfType(StoreException.class)
			.isThrownBy(() -> this.ownership.acquire(this.session, assignedTo(this.session.id())));
		this.store.slow = false;
	}

	@Test
	void aShardOfANodeThatDoesNotKnowIsGivenBack() {
		this.store.applyLate();
		assertThat(othersClaim()).isInstanceOf(Acquisition.Held.class);
		this.ownership.acquire(this.session, assignedTo(OTHER));
		assertThat(othersClaim()).isInstanceOf(Acquisition.Acquired.class);
	}

	@Test
	void aShardThatALateCallTookAfterThatIsGivenBackInItsTurn() {
		this.ownership.acquire(this.session, assignedTo(OTHER));
		this.store.applyLate();
		this.ownership.acquire(this.session, assignedTo(OTHER));
		assertThat(othersClaim()).isInstanceOf(Acquisition.Held.class);
		this.ownership.rotate();
		this.ownership.acquire(this.session, assignedTo(OTHER));
		assertThat(othersClaim()).isInstanceOf(Acquisition.Acquired.class);
	}

	@Test
	void aShardThatIsStillToBeTheNodesOwnIsKept() {
		this.store.applyLate();
		this.ownership.acquire(this.session, assignedTo(this.session.id()));
		assertThat(othersClaim()).isInstanceOf(Acquisition.Held.class);
		this.ownership.acquire(this.session, assignedTo(this.session.id()));
		assertThat(othersClaim()).isInstanceOf(Acquisition.Held.class);
	}

	private Acquisition othersClaim() {
		return this.store.acquire(this.shard, Claim.free(OTHER));
	}

	/** The other node is the older one, so that it is not ours to assign. */
	private Membership assignedTo(String owner) {
		return new Membership(true, List.of(member(OTHER), member(this.session.id())), Set.of(),
				new Assignment(1, Map.of(this.shard, owner)), 0);
	}

	private static Member member(String session) {
		return new Member(session, Long.MAX_VALUE, new NodeInfo(session, 0, List.of("orders"), ""));
	}

	/**
	 * A store whose answers to claims are lost at first, and which applies these later.
	 */
	private static final class SlowStore implements ShardStore {

		private final InMemoryStore memory = new InMemoryStore(InstantSource.system());

		private final ShardStore store = this.memory.shardStore();

		private final List<Runnable> late = new ArrayList<>();

		private boolean slow = true;

		void applyLate() {
			this.late.forEach(Runnable::run);
		}

		@Override
		public Acquisition acquire(Shard shard, Claim claim) {
			if (this.slow) {
				this.late.add(() -> this.store.acquire(shard, claim));
				throw new StoreException("lost, and applied later", null);
			}
			return this.store.acquire(shard, claim);
		}

		@Override
		public EnqueueResult push(Shard shard, List<NewPayload> pushes) {
			return this.store.push(shard, pushes);
		}

		@Override
		public FetchResult turn(Lease lease, long sequence, List<Outcome> outcomes, Fetch fetch) {
			return this.store.turn(lease, sequence, outcomes, fetch);
		}

		@Override
		public boolean release(Lease lease, long sequence, List<Outcome> outcomes) {
			return this.store.release(lease, sequence, outcomes);
		}

	}

}
