package io.lowkiq.dashboard.web;

import org.springframework.boot.WebApplicationType;

/** Who may do what in WebMvc. */
class WebMvcSecurityTests extends SecurityContract {

	WebMvcSecurityTests() {
		super(WebApplicationType.SERVLET, WebMvcSecurityExample.class);
	}

}
