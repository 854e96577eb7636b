package io.lowkiq.dashboard;

import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToLongFunction;

import io.lowkiq.dashboard.ActionStatus.State;
import io.lowkiq.memory.InMemoryStore;
import io.lowkiq.store.inspection.JobPage;
import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.Shard;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.store.inspection.ShardInspection;
import io.lowkiq.store.StoreException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of {@link QueueActions}.
 */
class QueueActionsTests {

	private final InMemoryStore store = new InMemoryStore(InstantSource.system());

	private final ActionBoard board = new MemoryActionBoard();

	private final AtomicInteger forgotten = new AtomicInteger();

	private final QueueActions actions = new QueueActions(this.store.actions(), this.store.inspection(), this.board,
			Runnable::run, InstantSource.system(), this.forgotten::incrementAndGet);

	private final TestQueue queue = new TestQueue(this.store, "orders", 3);

	@Test
	void performsAllNow() {
		this.queue.fail(TestQueue.ids("", 20));
		ActionStatus status = start(QueueAction.PERFORM_ALL_NOW);
		assertThat(status.message()).isEqualTo("20 jobs were made due now.");
		assertThat(this.queue.layout().allShards()).allSatisfy((shard) -> {
			ShardCounts counts = this.store.inspection().counts(shard);
			assertThat(counts.oldest()).isLessThanOrEqualTo(counts.now());
		});
	}

	@Test
	void killsAllFailedInSteps() {
		this.queue.fail(TestQueue.ids("", 3_500)).enqueue("fresh");
		ActionStatus status = start(QueueAction.KILL_ALL_FAILED);
		assertThat(status.state()).isEqualTo(State.DONE);
		assertThat(status.changed()).isEqualTo(3_500);
		assertThat(status.total()).isEqualTo(3_500);
		assertThat(sum(ShardCounts::dead)).isEqualTo(3_500);
		assertThat(sum(ShardCounts::fresh)).isEqualTo(1);
		assertThat(this.forgotten).hasValue(1);
	}

	@Test
	void releasesAllJobsOnHold() {
		this.queue.hold(TestQueue.ids("", 20)).enqueue("fresh");
		ActionStatus status = start(QueueAction.RELEASE_ALL);
		assertThat(status.message()).isEqualTo("20 jobs were released.");
		assertThat(sum(ShardCounts::held)).isZero();
		assertThat(sum(ShardCounts::fresh)).isEqualTo(21);
	}

	@Test
	void deletesAllFailed() {
		this.queue.fail(TestQueue.ids("", 10)).enqueue("fresh");
		assertThat(start(QueueAction.DELETE_ALL_FAILED).message()).isEqualTo("10 jobs were deleted.");
		assertThat(sum(ShardCounts::queued)).isEqualTo(1);
	}

	@Test
	void enqueuesAllDeadAgain() {
		this.queue.bury(TestQueue.ids("", 10));
		assertThat(start(QueueAction.RE_ENQUEUE_ALL_DEAD).message())
			.isEqualTo("10 jobs were enqueued again from the morgue.");
		assertThat(sum(ShardCounts::fresh)).isEqualTo(10);
	}

	@Test
	void deletesAllDead() {
		this.queue.bury("1");
		assertThat(start(QueueAction.DELETE_ALL_DEAD).message()).isEqualTo("1 job was deleted from the morgue.");
		assertThat(sum(ShardCounts::dead)).isZero();
	}

	@Test
	void actsOnNamedJobs() {
		this.queue.fail("1", "2", "3").bury("4", "5", "6");
		assertThat(start(QueueAction.PERFORM_NOW, "1").changed()).isEqualTo(1);
		assertThat(start(QueueAction.DELETE, "2", "3", "unknown").changed()).isEqualTo(2);
		assertThat(start(QueueAction.RE_ENQUEUE, "4").changed()).isEqualTo(1);
		assertThat(start(QueueAction.DELETE_DEAD, "5", "6").changed()).isEqualTo(2);
		assertThat(sum(ShardCounts::queued)).isEqualTo(2);
		assertThat(sum(ShardCounts::dead)).isZero();
	}

	@Test
	void pausesAndResumesAllShards() {
		assertThat(start(QueueAction.PAUSE).message()).isEqualTo("Queue orders was paused.");
		assertThat(this.queue.layout().allShards()).allMatch((shard) -> this.store.inspection().counts(shard).paused());
		start(QueueAction.RESUME);
		assertThat(this.queue.layout().allShards())
			.noneMatch((shard) -> this.store.inspection().counts(shard).paused());
	}

	@Test
	void oneRunOfAnActionAtATime() {
		Deque<Runnable> waiting = new ArrayDeque<>();
		QueueActions later = new QueueActions(this.store.actions(), this.store.inspection(), this.board, waiting::add,
				InstantSource.system(), () -> {
				});
		ActionStatus first = later.start(this.queue.layout(), QueueAction.KILL_ALL_FAILED, List.of(), "anna", 0);
		ActionStatus second = later.start(this.queue.layout(), QueueAction.KILL_ALL_FAILED, List.of(), "otto", 0);
		assertThat(second.run()).isEqualTo(first.run());
		assertThat(second.user()).isEqualTo("anna");
		assertThat(waiting).hasSize(1);
		waiting.remove().run();
		ActionStatus third = later.start(this.queue.layout(), QueueAction.KILL_ALL_FAILED, List.of(), "otto", 0);
		assertThat(third.run()).isNotEqualTo(first.run());
	}

	@Test
	void stopsAfterTheStepWhenCancelled() {
		this.queue.fail(TestQueue.ids("", 5_000));
		Deque<Runnable> waiting = new ArrayDeque<>();
		QueueActions later = new QueueActions(this.store.actions(), this.store.inspection(), this.board, waiting::add,
				InstantSource.system(), () -> {
				});
		ActionStatus begun = later.start(this.queue.layout(), QueueAction.DELETE_ALL_FAILED, List.of(), "anna", 0);
		later.cancel(begun.run());
		waiting.remove().run();
		ActionStatus end = this.board.find(begun.run()).orElseThrow();
		assertThat(end.state()).isEqualTo(State.CANCELLED);
		assertThat(end.changed()).isPositive().isLessThan(5_000);
		assertThat(end.message()).startsWith("Stopped. ");
		assertThat(sum(ShardCounts::retry)).isEqualTo(5_000 - end.changed());
	}

	@Test
	void saysThatTheStoreIsOutOfReach() {
		QueueActions broken = new QueueActions(this.store.actions(), new BrokenInspection(), this.board, Runnable::run,
				InstantSource.system(), () -> {
				});
		ActionStatus status = broken.start(this.queue.layout(), QueueAction.DELETE_ALL_DEAD, List.of(), "anna", 1_000);
		assertThat(status.state()).isEqualTo(State.FAILED);
		assertThat(status.message()).startsWith("The store could not be reached");
		assertThat(broken.find(status.run()).orElseThrow().isRunning()).isFalse();
	}

	private ActionStatus start(QueueAction action, String... ids) {
		return this.actions.start(this.queue.layout(), action, List.of(ids), "anna", 10_000);
	}

	private long sum(ToLongFunction<ShardCounts> count) {
		return this.queue.layout().allShards().stream().map(this.store.inspection()::counts).mapToLong(count).sum();
	}

	private static final class BrokenInspection implements ShardInspection {

		@Override
		public ShardCounts counts(Shard shard) {
			throw new StoreException("gone", null);
		}

		@Override
		public Optional<JobView> find(Shard shard, JobView.State state, String id, int payloads) {
			throw new StoreException("gone", null);
		}

		@Override
		public JobPage list(Shard shard, JobQuery query) {
			throw new StoreException("gone", null);
		}

	}

}
