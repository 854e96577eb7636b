package io.lowkiq.dashboard.api;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.lowkiq.admin.AdminEvent;
import io.lowkiq.admin.Outbox;
import io.lowkiq.admin.ScheduleControl;
import io.lowkiq.admin.ScheduleStatus;
import io.lowkiq.admin.ScheduleStatus.Result;
import io.lowkiq.admin.store.StoreAdmin;
import io.lowkiq.codec.JacksonPayloadCodec;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class ScheduleApiTests {

	private final Control control = new Control();

	private final List<AdminEvent> events = new ArrayList<>();

	private final AtomicInteger changes = new AtomicInteger();

	private final ScheduleApi api = new ScheduleApi(
			new StoreAdmin(InMemoryRedis.newStore(InstantSource.system()), new JacksonPayloadCodec(), () -> null,
					this.events::add, () -> Outbox.NONE, () -> null, () -> this.control, InstantSource.system()),
			this.changes::incrementAndGet);

	@Test
	void schedulesOfAQueueAreListed() {
		assertThat(this.api.schedules(7, null).schedules()).hasSize(2);
		assertThat(this.api.schedules(7, "reports").schedules()).containsExactly(new ApiDocuments.Schedule("reports",
				"nightly", "@daily", "UTC", 86_400_000L, null, "none", null, false, null));
	}

	@Test
	void schedulesAreChanged() {
		this.api.change("reports", order("pause", "nightly"), "anna");
		this.api.change("reports", order("run", "nightly"), "anna");
		this.api.change("reports", order("resume", "nightly"), "anna");
		assertThat(this.control.calls).containsExactly("pause reports nightly", "run reports nightly",
				"resume reports nightly");
		assertThat(this.events).extracting(AdminEvent::user).containsOnly("anna");
		assertThat(this.changes).hasValue(3);
	}

	@Test
	void nonsenseIsRefused() {
		assertRefused(400, () -> this.api.change("reports", order("delete", "nightly"), "anna"));
		assertRefused(400, () -> this.api.change("reports", order("pause"), "anna"));
		assertRefused(400, () -> this.api.change("reports", order("pause", "weekly"), "anna"));
		assertRefused(409, () -> this.api.change("reports", order("pause", "busy"), "anna"));
		assertThat(this.control.calls).isEmpty();
	}

	@Test
	void sourcesThatDoNotExistAreRefused() {
		assertThat(this.api.hasSources()).isFalse();
		assertRefused(400, () -> this.api.changeSource("orders", order("pause"), "anna"));
		assertRefused(400, () -> this.api.changeSource("orders", order("seek"), "anna"));
	}

	private static void assertRefused(int status, Runnable call) {
		assertThatExceptionOfType(ApiException.class).isThrownBy(call::run)
			.satisfies((refused) -> assertThat(refused.status()).isEqualTo(status));
	}

	private static ApiDocuments.ActionOrder order(String action, String... ids) {
		return new ApiDocuments.ActionOrder(action, List.of(ids), null);
	}

	private static final class Control implements ScheduleControl {

		private final List<String> calls = new ArrayList<>();

		@Override
		public List<ScheduleStatus> all() {
			return List.of(
					new ScheduleStatus("mails", "daily", "@daily", "UTC", null, null, Result.NONE, null, true, null),
					new ScheduleStatus("reports", "nightly", "@daily", "UTC", Instant.EPOCH.plusSeconds(86_400), null,
							Result.NONE, null, false, null));
		}

		@Override
		public void runNow(String queue, String id) {
			this.calls.add("run %s %s".formatted(queue, id));
		}

		@Override
		public void pause(String queue, String id) {
			if (id.equals("weekly")) {
				throw new IllegalArgumentException("There is no schedule");
			}
			if (id.equals("busy")) {
				throw new IllegalStateException("Try again");
			}
			this.calls.add("pause %s %s".formatted(queue, id));
		}

		@Override
		public void resume(String queue, String id) {
			this.calls.add("resume %s %s".formatted(queue, id));
		}

	}

}
