package io.lowkiq.dashboard.web;

import org.springframework.boot.WebApplicationType;

/** The API in WebMvc. */
class WebMvcApiTests extends ApiContract {

	WebMvcApiTests() {
		super(WebApplicationType.SERVLET);
	}

}
