package io.lowkiq.dashboard.web;

import io.lowkiq.testing.TestRedis;

import org.springframework.boot.WebApplicationType;

/** Questions about many jobs in Spring MVC, with the jobs in Redis. */
class RedisJobsApiIntegrationTests extends JobsApiContract {

	@Override
	TestDashboard.Starter starter() {
		return TestDashboard.of(WebApplicationType.SERVLET)
			.with("spring.data.redis.url", TestRedis.shared().url())
			.with("lowkiq.key-prefix", TestRedis.uniquePrefix());
	}

}
