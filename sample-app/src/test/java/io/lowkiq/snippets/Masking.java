package io.lowkiq.snippets;

import io.lowkiq.dashboard.PayloadMasker;

import org.springframework.context.annotation.Bean;

class Masking {

	// tag::payload-masker[]
	@Bean
	PayloadMasker masker() {
		return (queue, id, payload) -> payload.replaceAll("\"iban\":\"[^\"]*\"", "\"iban\":\"•••\"");
	}
	// end::payload-masker[]

}
