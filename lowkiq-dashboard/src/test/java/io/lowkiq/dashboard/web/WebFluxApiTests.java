package io.lowkiq.dashboard.web;

import org.springframework.boot.WebApplicationType;

/** The API in WebFlux. */
class WebFluxApiTests extends ApiContract {

	WebFluxApiTests() {
		super(WebApplicationType.REACTIVE);
	}

}
