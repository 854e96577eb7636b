package io.lowkiq.dashboard.http;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests of {@link AllowedHosts}. */
class AllowedHostsTests {

	private final AllowedHosts hosts = new AllowedHosts(List.of("Shop.example"));

	@ParameterizedTest
	@NullSource
	@ValueSource(strings = { "localhost", "localhost:8080", "LOCALHOST.", "app.localhost:1", "127.0.0.1",
			"127.0.0.1:80", "10.0.0.7:8080", "[::1]", "[::1]:8080", "[fe80::1]", "shop.example", "SHOP.EXAMPLE:8443",
			"shop.example." })
	void allows(String host) {
		assertThat(this.hosts.allow(host)).isTrue();
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "evil.example", "evil.example:8080", "localhost.evil.example", "evillocalhost",
			"127.0.0.1.evil.example", "1.2.3", "shop.example.evil.example", "www.shop.example", "evil.example:[::1]" })
	void refuses(String host) {
		assertThat(this.hosts.allow(host)).isFalse();
	}

	@Test
	void allowsAllWhereAskedTo() {
		assertThat(new AllowedHosts(List.of("*")).allow("evil.example")).isTrue();
	}

}
