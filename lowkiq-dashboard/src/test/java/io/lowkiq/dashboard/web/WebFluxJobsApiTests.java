package io.lowkiq.dashboard.web;

import org.springframework.boot.WebApplicationType;

/** Questions about many jobs in WebFlux, with the jobs in memory. */
class WebFluxJobsApiTests extends JobsApiContract {

	@Override
	TestDashboard.Starter starter() {
		return TestDashboard.of(WebApplicationType.REACTIVE);
	}

}
