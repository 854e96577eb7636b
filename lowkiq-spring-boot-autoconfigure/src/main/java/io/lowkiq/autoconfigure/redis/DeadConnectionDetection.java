package io.lowkiq.autoconfigure.redis;

import java.time.Duration;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SocketOptions.KeepAliveOptions;
import io.lettuce.core.SocketOptions.TcpUserTimeoutOptions;
import io.lettuce.core.resource.EpollProvider;
import io.lettuce.core.resource.IOUringProvider;

/** Has dead connections ended: by keep-alive, and by {@code TCP_USER_TIMEOUT}. */
record DeadConnectionDetection(boolean hasNativeTransport) {

	private static final KeepAliveOptions KEEP_ALIVE = KeepAliveOptions.builder()
		.enable()
		.idle(Duration.ofSeconds(30))
		.interval(Duration.ofSeconds(5))
		.count(3)
		.build();

	private static final TcpUserTimeoutOptions USER_TIMEOUT = TcpUserTimeoutOptions.builder()
		.enable()
		.tcpUserTimeout(Duration.ofSeconds(10))
		.build();

	DeadConnectionDetection() {
		this(EpollProvider.isAvailable() || IOUringProvider.isAvailable());
	}

	void customize(ClientOptions.Builder options) {
		if (this.hasNativeTransport) {
			// What Spring Boot has set stays
			SocketOptions present = options.build().getSocketOptions();
			options.socketOptions(present.mutate().keepAlive(KEEP_ALIVE).tcpUserTimeout(USER_TIMEOUT).build());
		}
	}

}
