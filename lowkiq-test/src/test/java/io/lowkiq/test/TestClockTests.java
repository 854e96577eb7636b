package io.lowkiq.test;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class TestClockTests {

	private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");

	private final AtomicReference<Instant> system = new AtomicReference<>(BEGIN);

	private final TestClock clock = TestClock.standing(this.system::get);

	@Test
	void standingClockMovesOnlyWhenItIsMoved() {
		this.system.set(BEGIN.plusSeconds(5));
		assertThat(this.clock.instant()).isEqualTo(BEGIN);
		assertThat(this.clock.unasked()).isZero();
		this.clock.moveTo(BEGIN.plusSeconds(3));
		assertThat(this.clock.instant()).isEqualTo(BEGIN.plusSeconds(3));
		assertThat(this.clock.unasked()).isZero();
		this.clock.moveTo(BEGIN);
		assertThat(this.clock.instant()).isEqualTo(BEGIN.plusSeconds(3));
	}

	@Test
	void advancingCatchesUpWithTheSystem() {
		this.system.set(BEGIN.plusSeconds(5));
		this.clock.advance(Duration.ofHours(1));
		assertThat(this.clock.instant()).isEqualTo(BEGIN.plusSeconds(3605));
		assertThat(this.clock.unasked()).isEqualTo(Duration.ofSeconds(5));
		this.clock.advance(Duration.ofHours(1));
		assertThat(this.clock.instant()).isEqualTo(BEGIN.plusSeconds(7205));
		assertThat(this.clock.unasked()).isEqualTo(Duration.ofSeconds(5));
		assertThat(this.clock.isMoved()).isTrue();
	}

	@Test
	void tickingClockRunsAndCanBeMoved() {
		TestClock ticking = TestClock.ticking();
		long nanos = ticking.nanoTime();
		ticking.advance(Duration.ofDays(1));
		assertThat(ticking.instant()).isAfterOrEqualTo(Instant.now().plus(Duration.ofDays(1)).minusSeconds(60));
		assertThat(ticking.nanoTime() - nanos).isGreaterThanOrEqualTo(Duration.ofDays(1).toNanos());
		assertThat(ticking.unasked()).isLessThan(Duration.ofHours(1));
	}

	@Test
	void resetGoesBackToTheSystemsTime() {
		this.clock.advance(Duration.ofDays(1));
		this.clock.catchUp();
		assertThat(this.clock.instant()).isEqualTo(BEGIN.plus(Duration.ofDays(1)));
		this.clock.reset();
		assertThat(this.clock.instant()).isEqualTo(BEGIN);
		assertThat(this.clock.isMoved()).isFalse();
		this.system.set(BEGIN.plusSeconds(5));
		this.clock.catchUp();
		assertThat(this.clock.instant()).isEqualTo(BEGIN.plusSeconds(5));
	}

	@Test
	void timeCanNotBeMovedBack() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.clock.advance(Duration.ofNanos(-1)));
	}

}
