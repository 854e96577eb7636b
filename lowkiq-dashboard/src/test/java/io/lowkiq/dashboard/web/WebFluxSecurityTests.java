package io.lowkiq.dashboard.web;

import org.springframework.boot.WebApplicationType;

/** Who may do what in WebFlux. */
class WebFluxSecurityTests extends SecurityContract {

	WebFluxSecurityTests() {
		super(WebApplicationType.REACTIVE, WebFluxSecurityExample.class);
	}

}
