package io.lowkiq.autoconfigure;

import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;

import io.lowkiq.PayloadCodec;
import io.lowkiq.admin.AdminEvent;
import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.admin.Outbox;
import io.lowkiq.admin.ScheduleControl;
import io.lowkiq.admin.SourceControl;
import io.lowkiq.admin.store.StoreAdmin;
import io.lowkiq.redis.RedisStore;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.util.ClassUtils;

/** Auto-configuration of {@link LowkiqAdmin}, and of the audit of what it does. */
@AutoConfiguration(after = LowkiqServerAutoConfiguration.class)
@ConditionalOnBean({ RedisStore.class, PayloadCodec.class })
public final class LowkiqAdminAutoConfiguration {

	private static final String SECURITY = "org.springframework.security.core.context.SecurityContextHolder";

	@Bean
	@ConditionalOnMissingBean
	LowkiqAdmin lowkiqAdmin(RedisStore store, PayloadCodec codec, ApplicationEventPublisher events,
			ObjectProvider<Outbox> outbox, ObjectProvider<SourceControl> sources,
			ObjectProvider<ScheduleControl> schedules) {
		boolean isSecured = ClassUtils.isPresent(SECURITY, getClass().getClassLoader());
		return new StoreAdmin(store, codec, () -> isSecured ? SignedIn.name() : null, events::publishEvent,
				() -> outbox.getIfAvailable(() -> Outbox.NONE), sources::getIfUnique, schedules::getIfUnique,
				InstantSource.system());
	}

	private static final class SignedIn {

		static @Nullable String name() {
			Authentication authentication = SecurityContextHolder.getContext().getAuthentication();
			return (authentication != null) ? authentication.getName() : null;
		}

	}

	/**
	 * Publishes what operators do to the application's audit events, where there are any.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(AuditApplicationEvent.class)
	static class AuditConfiguration {

		@Bean
		ApplicationListener<PayloadApplicationEvent<AdminEvent>> lowkiqAudit(ApplicationEventPublisher events) {
			return new AuditPublisher(events);
		}

	}

	/** Makes audit events of type {@code LOWKIQ} out of what operators do. */
	private record AuditPublisher(
			ApplicationEventPublisher events) implements ApplicationListener<PayloadApplicationEvent<AdminEvent>> {

		@Override
		public void onApplicationEvent(PayloadApplicationEvent<AdminEvent> published) {
			AdminEvent event = published.getPayload();
			Map<String, Object> data = new LinkedHashMap<>();
			data.put("action", event.action());
			data.put("queue", event.queue());
			data.put("ids", event.ids());
			data.put("changed", event.changed());
			data.put("result", event.result().name());
			data.put("message", event.message());
			this.events.publishEvent(new AuditApplicationEvent(new AuditEvent(event.user(), "LOWKIQ", data)));
		}

	}

}
