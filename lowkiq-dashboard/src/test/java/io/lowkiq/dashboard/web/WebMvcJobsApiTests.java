package io.lowkiq.dashboard.web;

import org.springframework.boot.WebApplicationType;

/** Questions about many jobs in Spring MVC, with the jobs in memory. */
class WebMvcJobsApiTests extends JobsApiContract {

	@Override
	TestDashboard.Starter starter() {
		return TestDashboard.of(WebApplicationType.SERVLET);
	}

}
