package io.lowkiq.autoconfigure;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.context.SecurityContextHolder;

import io.lowkiq.LowkiqClient;
import io.lowkiq.QueueDeclaration;
import io.lowkiq.admin.AdminEvent;
import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.autoconfigure.endpoint.LowkiqEndpoint;
import io.lowkiq.autoconfigure.endpoint.LowkiqEndpointAutoConfiguration;
import io.lowkiq.testing.MemoryStoreConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatRuntimeException;
import static org.mockito.Mockito.mock;

/** Tests of {@link LowkiqAdminAutoConfiguration}. */
class LowkiqAdminAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LowkiqRedisAutoConfiguration.class,
				LowkiqClientAutoConfiguration.class, LowkiqServerAutoConfiguration.class,
				LowkiqAdminAutoConfiguration.class, LowkiqEndpointAutoConfiguration.class))
		.withUserConfiguration(MemoryStoreConfiguration.class, Listener.class)
		.withPropertyValues("lowkiq.server.enabled=false", "management.endpoints.web.exposure.include=lowkiq");

	@AfterEach
	void signOut() {
		SecurityContextHolder.clearContext();
	}

	@Test
	void whatTheApplicationDoesIsAuditedOnceByWhoIsSignedIn() {
		this.runner.run((context) -> {
			context.getBean(LowkiqClient.class).enqueue("orders", "42", "a");
			LowkiqAdmin admin = context.getBean(LowkiqAdmin.class);
			SecurityContextHolder.getContext().setAuthentication(new TestingAuthenticationToken("anna", ""));
			assertThat(admin.status("orders", "42")).startsWith("Shard ");
			assertThat(admin.delete("orders", "42")).isTrue();
			assertThat(audited(context)).singleElement()
				.satisfies((event) -> assertThat(event.getAuditEvent().getPrincipal()).isEqualTo("anna"),
						(event) -> assertThat(event.getAuditEvent().getType()).isEqualTo("LOWKIQ"),
						(event) -> assertThat(event.getAuditEvent().getData())
							.isEqualTo(Map.of("action", "delete", "queue", "orders", "ids", List.of("42"), "changed",
									1L, "result", "DONE", "message", "1 job was deleted.")));
		});
	}

	@Test
	void whatNobodyWhoIsSignedInDoesIsDoneByTheApplication() {
		this.runner.run((context) -> {
			context.getBean(LowkiqClient.class).enqueue("orders", "42", "a");
			context.getBean(LowkiqAdmin.class).pause("orders");
			context.getBean(LowkiqAdmin.class).as("night-run").resume("orders");
			assertThat(audited(context)).extracting((event) -> event.getAuditEvent().getPrincipal())
				.containsExactly(AdminEvent.APPLICATION, "night-run");
		});
	}

	@Test
	void aFailedCallIsAuditedToo() {
		this.runner.run((context) -> {
			context.getBean(LowkiqClient.class).enqueue("orders", "42", "a");
			assertThatRuntimeException()
				.isThrownBy(() -> context.getBean(LowkiqAdmin.class).removeEmptyQueue("orders"));
			assertThat(audited(context)).singleElement()
				.satisfies((event) -> assertThat(event.getAuditEvent().getData()).containsEntry("result", "FAILED"));
		});
	}

	@Test
	void whatTheEndpointDoesIsAuditedOnceByItsCaller() {
		this.runner.run((context) -> {
			context.getBean(LowkiqClient.class).enqueue("orders", "42", "a");
			SecurityContext caller = new SecurityContext() {

				@Override
				public java.security.Principal getPrincipal() {
					return () -> "otto";
				}

				@Override
				public boolean isUserInRole(String role) {
					return false;
				}

			};
			context.getBean(LowkiqEndpoint.class).act(caller, "orders", "pause", null);
			assertThat(audited(context)).singleElement()
				.satisfies((event) -> assertThat(event.getAuditEvent().getPrincipal()).isEqualTo("otto"));
		});
	}

	@Test
	void worksWithoutActuatorAndSecurity() {
		this.runner
			.withClassLoader(
					new FilteredClassLoader("org.springframework.boot.actuate", "org.springframework.security"))
			.run((context) -> {
				context.getBean(LowkiqClient.class).enqueue("orders", "42", "a");
				assertThat(context.getBean(LowkiqAdmin.class).delete("orders", "42")).isTrue();
				assertThat(context.getBean(Listener.class).events).hasSize(1);
			});
	}

	@Test
	void backsOffForAnAdminOfTheApplication() {
		LowkiqAdmin own = mock();
		this.runner.withBean("own", LowkiqAdmin.class, () -> own)
			.run((context) -> assertThat(context.getBean(LowkiqAdmin.class)).isSameAs(own));
	}

	private static List<AuditApplicationEvent> audited(ApplicationContext context) {
		return context.getBean(Listener.class).events.stream()
			.filter(AuditApplicationEvent.class::isInstance)
			.map(AuditApplicationEvent.class::cast)
			.toList();
	}

	@Configuration(proxyBeanMethods = false)
	static class Listener {

		private final List<Object> events = new ArrayList<>();

		@Bean
		QueueDeclaration orders() {
			return new QueueDeclaration("orders", 2);
		}

		@EventListener
		void on(Object event) {
			if (event instanceof AdminEvent || event.getClass().getSimpleName().equals("AuditApplicationEvent")) {
				this.events.add(event);
			}
		}

	}

}
