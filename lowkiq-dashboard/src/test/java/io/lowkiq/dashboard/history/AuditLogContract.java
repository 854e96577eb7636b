package io.lowkiq.dashboard.history;

import java.util.List;

import io.lowkiq.admin.AdminEvent;
import io.lowkiq.admin.AdminEvent.Result;
import io.lowkiq.testing.TestQueue;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What an {@link AuditLog} keeps, the same in memory and in Redis.
 */
abstract class AuditLogContract {

	abstract AuditLog log();

	@Test
	void keepsTheLastEntriesNewestFirst() {
		for (int i = 0; i < AuditLog.KEPT + 5; i++) {
			log().add(event("delete", "orders", i, Result.DONE));
		}
		assertThat(log().recent(false, 2)).extracting(AuditLog.Entry::changed).containsExactly(1_004L, 1_003L);
		assertThat(log().recent(false, 5_000)).hasSize(AuditLog.KEPT)
			.last()
			.extracting(AuditLog.Entry::changed)
			.isEqualTo(5L);
		assertThat(log().recent(false, 1).get(0).at()).isPositive();
	}

	@Test
	void actionsOnGroupsPushNoOthersOut() {
		log().add(event("delete", "orders", 7, Result.DONE));
		for (int i = 0; i < AuditLog.KEPT + 5; i++) {
			log().add(event("set-group-rate", "orders", i, Result.DONE));
		}
		assertThat(log().recent(false, 10)).extracting(AuditLog.Entry::changed).containsExactly(7L);
		assertThat(log().recent(true, 5_000)).hasSize(AuditLog.KEPT)
			.first()
			.extracting(AuditLog.Entry::changed)
			.isEqualTo(1_004L);
	}

	@Test
	void keepsSomeOfTheIdsAndOfTheMessage() {
		log().add(new AdminEvent("anna", "delete", "orders", List.of(TestQueue.ids("", 1_000)), 7, Result.STOPPED,
				"x".repeat(5_000)));
		AuditLog.Entry entry = log().recent(false, 1).get(0);
		assertThat(entry.ids()).containsExactly(TestQueue.ids("", 10));
		assertThat(entry.moreIds()).isEqualTo(990);
		assertThat(entry.message()).hasSize(AuditLog.MAX_CHARACTERS + 1);
		assertThat(entry.user()).isEqualTo("anna");
		assertThat(entry.result()).isEqualTo(Result.STOPPED);
	}

	@Test
	void knowsWhoPausedAQueueUntilItIsResumed() {
		log().add(event("pause", "orders", 5, Result.DONE));
		log().add(event("pause", "mails", 2, Result.FAILED));
		log().add(event("pause", "other", 0, Result.FAILED));
		for (int i = 0; i < AuditLog.KEPT; i++) {
			log().add(event("delete", "orders", i, Result.DONE));
		}
		assertThat(log().lastPause("orders").orElseThrow().user()).isEqualTo("anna");
		assertThat(log().lastPause("mails")).isPresent();
		assertThat(log().lastPause("other")).isEmpty();
		log().add(event("resume", "orders", 3, Result.FAILED));
		assertThat(log().lastPause("orders")).isPresent();
		log().add(event("resume", "orders", 5, Result.DONE));
		assertThat(log().lastPause("orders")).isEmpty();
		log().add(event("remove-queue", "mails", 5, Result.DONE));
		assertThat(log().lastPause("mails")).isEmpty();
	}

	private static AdminEvent event(String action, String queue, long changed, Result result) {
		return new AdminEvent("anna", action, queue, List.of(), changed, result, "It was done.");
	}

}
