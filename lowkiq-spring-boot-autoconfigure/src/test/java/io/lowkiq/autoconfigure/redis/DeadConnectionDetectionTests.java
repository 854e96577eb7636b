package io.lowkiq.autoconfigure.redis;

import java.time.Duration;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.SocketOptions;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class DeadConnectionDetectionTests {

	private static final SocketOptions OF_SPRING_BOOT = SocketOptions.builder()
		.connectTimeout(Duration.ofSeconds(3))
		.tcpNoDelay(false)
		.build();

	private static SocketOptions customized(boolean hasNativeTransport) {
		ClientOptions.Builder options = ClientOptions.builder().socketOptions(OF_SPRING_BOOT);
		new DeadConnectionDetection(hasNativeTransport).customize(options);
		return options.build().getSocketOptions();
	}

	@Test
	void nativeTransportEndsConnectionsThatAreNotAcknowledged() {
		SocketOptions options = customized(true);
		assertThat(options.isEnableTcpUserTimeout()).isTrue();
		assertThat(options.getTcpUserTimeout().getTcpUserTimeout()).hasSeconds(10);
		assertThat(options.isKeepAlive()).isTrue();
		assertThat(options.getKeepAlive().getIdle()).hasSeconds(30);
		assertThat(options.getKeepAlive().getInterval()).hasSeconds(5);
		assertThat(options.getKeepAlive().getCount()).isEqualTo(3);
	}

	@Test
	void whatSpringBootHasSetStays() {
		SocketOptions options = customized(true);
		assertThat(options.getConnectTimeout()).hasSeconds(3);
		assertThat(options.isTcpNoDelay()).isFalse();
	}

	/** Lettuce would refuse to connect. */
	@Test
	void nothingChangesWithoutANativeTransport() {
		assertThat(customized(false)).isSameAs(OF_SPRING_BOOT);
	}

}
