package io.lowkiq.store;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** A clock that stands still until it is moved, forwards or backwards. */
final class MovableClock implements InstantSource {

	/** Written by the test, read by whatever thread asks for the time. */
	private volatile Instant now = Instant.parse("2026-01-01T00:00:00Z");

	@Override
	public Instant instant() {
		return this.now;
	}

	void advance(Duration duration) {
		this.now = this.now.plus(duration);
	}

	void advanceMillis(long millis) {
		advance(Duration.ofMillis(millis));
	}

	void goBackMillis(long millis) {
		advance(Duration.ofMillis(millis).negated());
	}

}
