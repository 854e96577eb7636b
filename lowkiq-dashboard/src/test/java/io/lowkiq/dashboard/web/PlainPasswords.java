package io.lowkiq.dashboard.web;

import java.util.Map;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.crypto.password.AbstractValidatingPasswordEncoder;
import org.springframework.security.crypto.password.DelegatingPasswordEncoder;
import org.springframework.security.crypto.password.PasswordEncoder;

/**
 * Passwords as they are. By default each request would be signed in with BCrypt, which
 * takes a tenth of a second by design, and is not what these tests are about.
 */
@Configuration(proxyBeanMethods = false)
class PlainPasswords {

	@Bean
	PasswordEncoder passwordEncoder() {
		return new DelegatingPasswordEncoder("noop", Map.of("noop", new Plain()));
	}

	private static final class Plain extends AbstractValidatingPasswordEncoder {

		@Override
		protected String encodeNonNullPassword(String password) {
			return password;
		}

		@Override
		protected boolean matchesNonNull(String password, String encoded) {
			return password.equals(encoded);
		}

	}

}
