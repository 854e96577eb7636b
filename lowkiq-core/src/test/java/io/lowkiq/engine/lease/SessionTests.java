package io.lowkiq.engine.lease;

import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SessionTests {

	private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 50);

	private final Session session = new Session("s", this.nanos.get() + 100, this.nanos::get);

	@Test
	void lastsUntilItsTimeHasRunOutEvenWhereTheClockOverflows() {
		assertThat(this.session.isValid()).isTrue();
		this.nanos.addAndGet(99);
		assertThat(this.session.isValid()).isTrue();
		this.nanos.addAndGet(1);
		assertThat(this.session.isValid()).isFalse();
	}

	@Test
	void isRenewedWhileItLasts() {
		this.nanos.addAndGet(99);
		assertThat(this.session.renew(this.nanos.get() + 100)).isTrue();
		this.nanos.addAndGet(99);
		assertThat(this.session.isValid()).isTrue();
	}

	@Test
	void isNeverRenewedAfterItsTimeHasRunOut() {
		this.nanos.addAndGet(100);
		assertThat(this.session.renew(this.nanos.get() + 100)).isFalse();
		assertThat(this.session.isValid()).isFalse();
	}

	@Test
	void endsOnceAndForGood() {
		assertThat(this.session.end()).isTrue();
		assertThat(this.session.end()).isFalse();
		assertThat(this.session.isValid()).isFalse();
		assertThat(this.session.renew(this.nanos.get() + 100)).isFalse();
	}

}
