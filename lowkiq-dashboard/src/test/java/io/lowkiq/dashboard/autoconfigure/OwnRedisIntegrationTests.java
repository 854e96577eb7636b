package io.lowkiq.dashboard.autoconfigure;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.lowkiq.redis.RedisStore;
import io.lowkiq.testing.TestAdmin;
import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.dashboard.http.Dashboard;
import io.lowkiq.dashboard.http.DashboardRequest;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestRedis;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.http.HttpHeaders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The dashboard of an application whose jobs are not in its primary Redis. */
class OwnRedisIntegrationTests {

	@Test
	void theHistoryIsKeptAndTheFactsAreOfTheRedisThatHasTheJobs() throws Exception {
		try (RedisProcess cache = TestRedis.startPrivate();
				RedisProcess jobs = TestRedis.startPrivate("--maxmemory-policy", "volatile-ttl")) {
			new WebApplicationContextRunner()
				.withConfiguration(AutoConfigurations.of(LowkiqDashboardAutoConfiguration.class))
				.withUserConfiguration(OwnStore.class)
				.withPropertyValues("cache.url=" + cache.url(), "jobs.url=" + jobs.url())
				.run((context) -> {
					StringRedisTemplate own = new StringRedisTemplate(
							context.getBean("jobs", RedisConnectionFactory.class));
					await().atMost(Duration.ofSeconds(30))
						.untilAsserted(() -> assertThat(own.keys("own:{history}:*")).isNotEmpty());
					StringRedisTemplate cached = new StringRedisTemplate(
							context.getBean("cache", RedisConnectionFactory.class));
					assertThat(cached.keys("*")).isEmpty();
					assertThat(facts(context.getBean(Dashboard.class))).contains(jobs.url()).contains("volatile-ttl");
				});
		}
	}

	private static String facts(Dashboard dashboard) {
		return new String(dashboard
			.respond(new DashboardRequest("GET", URI.create("/lowkiq/api/v1/redis"), List.of("api", "v1", "redis"),
					false, false, Map.of(), new HttpHeaders(), new byte[0], null, null))
			.body(), StandardCharsets.UTF_8);
	}

	/** Two servers, and a store on the one that is not the primary one. */
	@Configuration(proxyBeanMethods = false)
	static class OwnStore {

		@Bean(destroyMethod = "destroy")
		@Primary
		RedisConnectionFactory cache(@Value("${cache.url}") String url) {
			return TestRedis.connectionFactory(url);
		}

		@Bean(destroyMethod = "destroy")
		RedisConnectionFactory jobs(@Value("${jobs.url}") String url) {
			return TestRedis.connectionFactory(url);
		}

		@Bean
		RedisStore store(@Qualifier("jobs") RedisConnectionFactory jobs) {
			return new RedisStore(jobs, "own", null);
		}

		@Bean
		LowkiqAdmin admin(RedisStore store) {
			return TestAdmin.of(store);
		}

	}

}
