package io.lowkiq.dashboard.web;

import org.springframework.boot.WebApplicationType;

/** The statistics in Spring MVC. */
class WebMvcStatisticsTests extends StatisticsContract {

	WebMvcStatisticsTests() {
		super(WebApplicationType.SERVLET);
	}

}
