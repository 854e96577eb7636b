package io.lowkiq.redis.call;

import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedDeque;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Lowkiq's own connections, as many as there are callers at a time. Thread-safe. */
final class OwnConnections implements AutoCloseable {

	private static final int MAX_IDLE = 16;

	private final LettuceConnectionFactory factory;

	private final Duration longestWait;

	/** Idle connections, most recently used first. */
	private final ConcurrentLinkedDeque<OwnConnection> idle = new ConcurrentLinkedDeque<>();

	OwnConnections(LettuceConnectionFactory factory, Duration longestWait) {
		this.factory = factory;
		this.longestWait = longestWait;
	}

	/** A connection for the caller alone, until it is given back or closed. */
	OwnConnection take() {
		for (OwnConnection kept = this.idle.pollFirst(); kept != null; kept = this.idle.pollFirst()) {
			if (kept.isOpen()) {
				return kept;
			}
			kept.close();
		}
		return OwnConnection.open(this.factory, this.longestWait);
	}

	/** Gives a connection back on which nothing is under way. */
	void giveBack(OwnConnection connection) {
		if (this.idle.size() < MAX_IDLE) {
			this.idle.addFirst(connection);
		}
		else {
			connection.close();
		}
	}

	@Override
	public void close() {
		for (OwnConnection kept = this.idle.pollFirst(); kept != null; kept = this.idle.pollFirst()) {
			kept.close();
		}
	}

}
