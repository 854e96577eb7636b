package io.lowkiq.dashboard.web;

import org.springframework.boot.WebApplicationType;

/** The state in WebFlux. */
class WebFluxStateTests extends StateContract {

	WebFluxStateTests() {
		super(WebApplicationType.REACTIVE);
	}

}
