package io.lowkiq.dashboard.actions;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

import io.lowkiq.dashboard.actions.ActionStatus.State;
import io.lowkiq.dashboard.history.DashboardKeys;
import io.lowkiq.dashboard.jobs.JobDocuments;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests of {@link ActionBoard}. */
class ActionBoardTests {

	/** Moved by the test. */
	private Instant now = Instant.parse("2026-01-01T00:00:00Z");

	private final InMemoryRedis redis = new InMemoryRedis(() -> this.now);

	private final DashboardKeys keys = new DashboardKeys(this.redis.store());

	/** One of another node each time. */
	private ActionBoard board() {
		return new ActionBoard(this.keys);
	}

	@Test
	void anActionIsSeenAndStoppedByOthers() {
		ActionStatus run = board().begin(all());
		assertThat(board().find(run.run())).hasValue(run);
		assertThat(board().running()).containsExactly(run);
		assertThat(board().update(run.progressed(10))).isTrue();
		assertThat(board().running()).extracting(ActionStatus::changed).containsExactly(10L);
		board().cancel(run.run());
		assertThat(board().update(run.progressed(20))).isFalse();
		ActionStatus end = run.progressed(20).ended(State.CANCELLED, "Stopped.");
		board().end(end);
		assertThat(board().running()).isEmpty();
		assertThat(board().find(run.run())).hasValue(end);
	}

	@Test
	void theSameActionRunsOnceAtATime() {
		ActionStatus run = board().begin(all());
		ActionStatus second = all();
		assertThat(board().begin(second)).isEqualTo(run);
		assertThat(board().find(second.run())).isEmpty();
		board().end(run.ended(State.DONE, "Done."));
		assertThat(board().begin(second)).isEqualTo(second);
	}

	@Test
	void actionsOnOtherSelectionsDontExcludeEachOther() {
		ActionStatus selected = board().begin(selecting("A-"));
		assertThat(board().begin(selecting("B-")).run()).isNotEqualTo(selected.run());
		assertThat(board().begin(all()).run()).isNotEqualTo(selected.run());
		assertThat(board().begin(selecting("A-"))).isEqualTo(selected);
	}

	@Test
	void actionsOnOtherQueuesDontExcludeEachOther() {
		ActionStatus orders = board().begin(all());
		ActionStatus mails = board().begin(status("mails", "delete-dead", null));
		assertThat(board().begin(status("orders", "re-enqueue", null)).run()).isNotEqualTo(orders.run());
		assertThat(board().running()).hasSize(3).contains(orders, mails);
	}

	@Test
	void whatNeverBeganIsNotFound() {
		assertThat(board().find("none")).isEmpty();
		board().cancel("none");
		assertThat(board().find("none")).isEmpty();
		assertThat(board().running()).isEmpty();
	}

	@Test
	void everyKeyGoesAwayByItself() {
		ActionStatus run = board().begin(all());
		board().update(run.progressed(10));
		board().cancel(run.run());
		String kept = "lowkiq:{actions}:";
		List<String> all = List.of("running", "lock:orders:delete-dead", "run:" + run.run(), "alive:" + run.run(),
				"cancelled:" + run.run());
		assertThat(all).allMatch((key) -> this.keys.command("EXISTS", kept + key).number(0) == 1);
		this.now = this.now.plus(Duration.ofHours(1));
		assertThat(all).allMatch((key) -> this.keys.command("EXISTS", kept + key).number(0) == 0);
	}

	@Test
	void aRunWhoseNodeDiedIsNotShownAsRunning() {
		ActionStatus run = board().begin(all());
		this.now = this.now.plus(Duration.ofMinutes(1));
		assertThat(board().running()).isEmpty();
		board().update(run);
		assertThat(board().running()).containsExactly(run);
	}

	static ActionStatus all() {
		return status("orders", "delete-dead", null);
	}

	private static ActionStatus selecting(String idPrefix) {
		return status("orders", "delete-dead", new JobDocuments.Selection("dead", idPrefix, null, null, null, null));
	}

	private static ActionStatus status(String queue, String action, JobDocuments.@Nullable Selection selection) {
		return new ActionStatus(UUID.randomUUID().toString(), queue, action, "anna", State.RUNNING, 1, 0, 100, null,
				selection);
	}

}
