package io.lowkiq.testing;

import java.time.InstantSource;
import java.util.function.Consumer;

import io.lowkiq.admin.AdminEvent;
import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.admin.Outbox;
import io.lowkiq.admin.store.StoreAdmin;
import io.lowkiq.codec.JacksonPayloadCodec;
import io.lowkiq.redis.RedisStore;
import tools.jackson.databind.json.JsonMapper;

/** Makes admins as an application without Spring Security has them. */
public final class TestAdmin {

	private TestAdmin() {
	}

	public static LowkiqAdmin of(RedisStore store) {
		return of(store, (event) -> {
		});
	}

	public static LowkiqAdmin of(RedisStore store, Consumer<AdminEvent> events) {
		return of(store, events, Outbox.NONE);
	}

	public static LowkiqAdmin of(RedisStore store, Consumer<AdminEvent> events, Outbox outbox) {
		return new StoreAdmin(store, new JacksonPayloadCodec(JsonMapper.shared()), () -> null, events, () -> outbox,
				() -> null, () -> null, InstantSource.system());
	}

}
