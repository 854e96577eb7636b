package io.lowkiq.dashboard.web;

import org.springframework.boot.WebApplicationType;

/** The statistics in WebFlux. */
class WebFluxStatisticsTests extends StatisticsContract {

	WebFluxStatisticsTests() {
		super(WebApplicationType.REACTIVE);
	}

}
