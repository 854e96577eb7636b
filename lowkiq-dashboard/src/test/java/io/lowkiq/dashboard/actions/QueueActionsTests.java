package io.lowkiq.dashboard.actions;

import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToLongFunction;

import io.lowkiq.StoreException;
import io.lowkiq.admin.AdminAction;
import io.lowkiq.dashboard.actions.ActionStatus.State;
import io.lowkiq.dashboard.history.DashboardKeys;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.testing.TestAdmin;
import io.lowkiq.testing.TestQueue;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.willReturn;
import static org.mockito.Mockito.mock;

/** Tests of {@link QueueActions}. */
class QueueActionsTests {

	private final RedisStore store = InMemoryRedis.newStore(InstantSource.system());

	private final ActionBoard board = new ActionBoard(new DashboardKeys(this.store));

	private final AtomicInteger forgotten = new AtomicInteger();

	private final QueueActions actions = new QueueActions(TestAdmin.of(this.store), this.board, Runnable::run,
			InstantSource.system(), this.forgotten::incrementAndGet);

	private final TestQueue queue = new TestQueue(this.store, "orders", 3);

	@Test
	void killsAllFailedInSteps() {
		this.queue.fail(TestQueue.ids("", 3_500)).enqueue("fresh");
		ActionStatus status = start(AdminAction.KILL_ALL_FAILED);
		assertThat(status.state()).isEqualTo(State.DONE);
		assertThat(status.changed()).isEqualTo(3_500);
		assertThat(status.total()).isEqualTo(3_500);
		assertThat(sum(ShardCounts::dead)).isEqualTo(3_500);
		assertThat(sum(ShardCounts::fresh)).isEqualTo(1);
		assertThat(this.forgotten).hasValue(1);
	}

	@Test
	void oneRunOfAnActionAtATime() {
		Deque<Runnable> waiting = new ArrayDeque<>();
		QueueActions later = new QueueActions(TestAdmin.of(this.store), this.board, waiting::add,
				InstantSource.system(), () -> {
				});
		ActionStatus first = later.start("orders", AdminAction.KILL_ALL_FAILED, List.of(), "anna", 0);
		ActionStatus second = later.start("orders", AdminAction.KILL_ALL_FAILED, List.of(), "otto", 0);
		assertThat(second.run()).isEqualTo(first.run());
		assertThat(second.user()).isEqualTo("anna");
		assertThat(waiting).hasSize(1);
		waiting.remove().run();
		ActionStatus third = later.start("orders", AdminAction.KILL_ALL_FAILED, List.of(), "otto", 0);
		assertThat(third.run()).isNotEqualTo(first.run());
	}

	@Test
	void stopsAfterTheStepWhenCancelled() {
		this.queue.fail(TestQueue.ids("", 5_000));
		ActionBoard cancelled = mock(ActionBoard.class, delegatesTo(this.board));
		willReturn(true, false).given(cancelled).update(any());
		QueueActions stopping = new QueueActions(TestAdmin.of(this.store), cancelled, Runnable::run,
				InstantSource.system(), () -> {
				});
		ActionStatus end = stopping.start("orders", AdminAction.DELETE_ALL_FAILED, List.of(), "anna", 10_000);
		assertThat(end.state()).isEqualTo(State.CANCELLED);
		assertThat(end.changed()).isPositive().isLessThan(5_000);
		assertThat(end.message()).startsWith("Stopped. ");
		assertThat(sum(ShardCounts::retry)).isEqualTo(5_000 - end.changed());
	}

	@Test
	void doesNothingWhenCancelledBeforeItHasBegun() {
		this.queue.fail(TestQueue.ids("", 10));
		Deque<Runnable> waiting = new ArrayDeque<>();
		QueueActions later = new QueueActions(TestAdmin.of(this.store), this.board, waiting::add,
				InstantSource.system(), () -> {
				});
		ActionStatus begun = later.start("orders", AdminAction.DELETE_ALL_FAILED, List.of(), "anna", 0);
		later.cancel(begun.run());
		waiting.remove().run();
		assertThat(this.board.find(begun.run()).orElseThrow().state()).isEqualTo(State.CANCELLED);
		assertThat(sum(ShardCounts::retry)).isEqualTo(10);
	}

	@Test
	void saysWhyAQueueCanNotBeRemoved() {
		this.queue.enqueue("1");
		assertThat(start(AdminAction.REMOVE_EMPTY_QUEUE).message()).contains("there are jobs in it");
		assertThat(start(AdminAction.REMOVE_QUEUE).message()).isEqualTo("Queue orders was removed, with 1 job.");
		assertThat(this.store.queues().all()).isEmpty();
	}

	@Test
	void saysThatTheStoreIsOutOfReach() {
		RedisStore silent = mock();
		given(silent.queues()).willThrow(new StoreException("gone", null));
		QueueActions broken = new QueueActions(TestAdmin.of(silent), this.board, Runnable::run, InstantSource.system(),
				() -> {
				});
		ActionStatus status = broken.start("orders", AdminAction.DELETE_ALL_DEAD, List.of(), "anna", 1_000);
		assertThat(status.state()).isEqualTo(State.FAILED);
		assertThat(status.message()).startsWith("Redis can't be reached. Until then: ");
		assertThat(broken.find(status.run()).orElseThrow().isRunning()).isFalse();
	}

	private ActionStatus start(AdminAction action, String... ids) {
		return this.actions.start("orders", action, List.of(ids), "anna", 10_000);
	}

	private long sum(ToLongFunction<ShardCounts> count) {
		return this.queue.layout().allShards().stream().map(this.store.inspection()::counts).mapToLong(count).sum();
	}

}
