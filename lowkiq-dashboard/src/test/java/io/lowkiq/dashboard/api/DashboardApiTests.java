package io.lowkiq.dashboard.api;

import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;

import io.lowkiq.StoreException;
import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.admin.Outbox;
import io.lowkiq.dashboard.PayloadMasker;
import io.lowkiq.dashboard.PayloadVisibility;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.redis.inmemory.InMemoryRedis;
import io.lowkiq.store.QueueRegistry;
import io.lowkiq.testing.Intercepted;
import io.lowkiq.testing.TestAdmin;
import io.lowkiq.testing.TestQueue;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What goes wrong between two steps of a request. The contract of the API has the rest.
 */
class DashboardApiTests {

	private final RedisStore store = InMemoryRedis.newStore(InstantSource.system());

	@Test
	void aQueueThatIsRemovedMeanwhileIsNotFound() {
		TestQueue queue = new TestQueue(this.store, "orders", 1);
		QueueRegistry queues = Intercepted.of(QueueRegistry.class, this.store.queues(), (method, call) -> {
			if (method.equals("override")) {
				this.store.queues().beginRemoval(queue.layout());
				this.store.queues().endRemoval(queue.layout());
			}
			return call.make();
		});
		RedisStore removing = Intercepted.of(RedisStore.class, this.store,
				(method, call) -> method.equals("queues") ? queues : call.make());
		DashboardApi api = api(removing, TestAdmin.of(removing));
		ApiRequest pause = request("POST", "{\"action\": \"pause\", \"group\": \"acme\"}", "queues", "orders",
				"groups");
		assertThatExceptionOfType(ApiException.class).isThrownBy(() -> api.answer(pause))
			.withMessageContaining("queue 'orders': it has been removed")
			.returns(404, ApiException::status);
	}

	@Test
	void aProblemOfTheOutboxIsNoneOfRedis() {
		Outbox outbox = Intercepted.of(Outbox.class, Outbox.NONE, (method, call) -> {
			throw new StoreException("The tables of the outbox can't be used", null);
		});
		LowkiqAdmin admin = TestAdmin.of(this.store, (event) -> {
		}, outbox);
		DashboardApi api = api(this.store, admin);
		for (ApiRequest request : List.of(request("GET", "", "outbox"), request("POST", "", "outbox", "7"))) {
			assertThatExceptionOfType(ApiException.class).isThrownBy(() -> api.answer(request))
				.withMessage("The tables of the outbox can't be used")
				.returns(503, ApiException::status);
		}
	}

	private static DashboardApi api(RedisStore store, LowkiqAdmin admin) {
		return new DashboardApi(store, admin, InstantSource.system(),
				new DashboardApi.Settings(PayloadVisibility.SIGNED_IN, PayloadMasker.values(), true));
	}

	private static ApiRequest request(String method, String body, String... path) {
		return new ApiRequest(method, List.of(path), Map.of(), body.getBytes(StandardCharsets.UTF_8), null, null);
	}

}
