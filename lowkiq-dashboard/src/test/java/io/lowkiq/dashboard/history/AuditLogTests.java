package io.lowkiq.dashboard.history;

import java.time.InstantSource;
import java.util.List;

import io.lowkiq.admin.AdminEvent;
import io.lowkiq.admin.AdminEvent.Result;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.testing.TestQueue;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests of {@link AuditLog}. */
class AuditLogTests {

	private final DashboardKeys keys = new DashboardKeys(InMemoryRedis.newStore(InstantSource.system()));

	private final AuditLog log = new AuditLog(this.keys);

	@Test
	void keepsTheLastEntriesNewestFirst() {
		for (int i = 0; i < AuditLog.KEPT + 5; i++) {
			this.log.add(event("delete", "orders", i, Result.DONE));
		}
		assertThat(this.log.recent(false, 2)).extracting(AuditLog.Entry::changed).containsExactly(1_004L, 1_003L);
		assertThat(this.log.recent(false, 5_000)).hasSize(AuditLog.KEPT)
			.last()
			.extracting(AuditLog.Entry::changed)
			.isEqualTo(5L);
		assertThat(this.log.recent(false, 1).get(0).at()).isPositive();
	}

	@Test
	void actionsOnGroupsPushNoOthersOut() {
		this.log.add(event("delete", "orders", 7, Result.DONE));
		for (int i = 0; i < AuditLog.KEPT + 5; i++) {
			this.log.add(event("set-group-rate", "orders", i, Result.DONE));
		}
		assertThat(this.log.recent(false, 10)).extracting(AuditLog.Entry::changed).containsExactly(7L);
		assertThat(this.log.recent(true, 5_000)).hasSize(AuditLog.KEPT)
			.first()
			.extracting(AuditLog.Entry::changed)
			.isEqualTo(1_004L);
	}

	@Test
	void keepsSomeOfTheIdsAndOfTheMessage() {
		this.log.add(new AdminEvent("anna", "delete", "orders", List.of(TestQueue.ids("", 1_000)), 7, Result.STOPPED,
				"x".repeat(5_000)));
		AuditLog.Entry entry = this.log.recent(false, 1).get(0);
		assertThat(entry.ids()).containsExactly(TestQueue.ids("", 10));
		assertThat(entry.moreIds()).isEqualTo(990);
		assertThat(entry.message()).hasSize(AuditLog.MAX_CHARACTERS + 1);
		assertThat(entry.user()).isEqualTo("anna");
		assertThat(entry.result()).isEqualTo(Result.STOPPED);
	}

	@Test
	void knowsWhoPausedAQueueUntilItIsResumed() {
		this.log.add(event("pause", "orders", 5, Result.DONE));
		this.log.add(event("pause", "mails", 2, Result.FAILED));
		this.log.add(event("pause", "other", 0, Result.FAILED));
		for (int i = 0; i < AuditLog.KEPT; i++) {
			this.log.add(event("delete", "orders", i, Result.DONE));
		}
		assertThat(this.log.lastPause("orders").orElseThrow().user()).isEqualTo("anna");
		assertThat(this.log.lastPause("mails")).isPresent();
		assertThat(this.log.lastPause("other")).isEmpty();
		this.log.add(event("resume", "orders", 3, Result.FAILED));
		assertThat(this.log.lastPause("orders")).isPresent();
		this.log.add(event("resume", "orders", 5, Result.DONE));
		assertThat(this.log.lastPause("orders")).isEmpty();
		this.log.add(event("remove-queue", "mails", 5, Result.DONE));
		assertThat(this.log.lastPause("mails")).isEmpty();
	}

	@Test
	void whatCantBeReadIsLeftOut() {
		this.log.add(event("pause", "orders", 3, Result.DONE));
		for (String text : new String[] { "", "x", "1 ", "1 {", "1 []", "x {}", "1 null" }) {
			this.keys.command("RPUSH", "lowkiq:{history}:audit", text);
			this.keys.command("HSET", "lowkiq:{history}:pauses", "orders", text);
			assertThat(this.log.lastPause("orders")).isEmpty();
		}
		assertThat(this.log.recent(false, 100)).hasSize(1);
	}

	private static AdminEvent event(String action, String queue, long changed, Result result) {
		return new AdminEvent("anna", action, queue, List.of(), changed, result, "It was done.");
	}

}
