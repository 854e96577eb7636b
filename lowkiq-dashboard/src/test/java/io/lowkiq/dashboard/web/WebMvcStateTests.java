package io.lowkiq.dashboard.web;

import org.springframework.boot.WebApplicationType;

/** The state in Spring MVC. */
class WebMvcStateTests extends StateContract {

	WebMvcStateTests() {
		super(WebApplicationType.SERVLET);
	}

}
