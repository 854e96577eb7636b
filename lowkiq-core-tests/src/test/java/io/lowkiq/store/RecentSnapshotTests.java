package io.lowkiq.store;

import java.time.Duration;

import io.lowkiq.StoreException;
import io.lowkiq.store.inspection.RecentSnapshot;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Tests of {@link RecentSnapshot}. */
class RecentSnapshotTests {

	private final MovableClock clock = new MovableClock();

	private int readings;

	private boolean away;

	private boolean interrupted;

	private final RecentSnapshot<Integer> reading = new RecentSnapshot<>(this::read, this.clock, Duration.ofSeconds(1));

	private int read() {
		this.readings++;
		// A reading takes its time, which doesn't make it old
		this.clock.advanceMillis(5_000);
		if (this.interrupted) {
			Thread.currentThread().interrupt();
			throw new StoreException("interrupted", null);
		}
		if (this.away) {
			throw new StoreException("away", null);
		}
		return this.readings;
	}

	@Test
	void isMadeAnewWhenItIsTooOld() {
		assertThat(this.readings).isZero();
		assertThat(this.reading.get()).isEqualTo(1);
		this.clock.advanceMillis(999);
		assertThat(this.reading.get()).isEqualTo(1);
		this.clock.advanceMillis(1);
		assertThat(this.reading.get()).isEqualTo(2);
	}

	@Test
	void isMadeAnewWhenItIsForgotten() {
		assertThat(this.reading.get()).isEqualTo(1);
		this.reading.forget();
		assertThat(this.reading.get()).isEqualTo(2);
	}

	@Test
	void aStoreOutOfReachIsAskedOncePerTime() {
		this.away = true;
		for (int i = 0; i < 3; i++) {
			assertThatExceptionOfType(StoreException.class).isThrownBy(this.reading::get).withMessageContaining("away");
		}
		assertThat(this.readings).isEqualTo(1);
		this.away = false;
		this.clock.advanceMillis(1_000);
		assertThat(this.reading.get()).isEqualTo(2);
	}

	@Test
	void aReaderThatIsInterruptedTellsNothingOfTheStore() {
		this.interrupted = true;
		assertThatExceptionOfType(StoreException.class).isThrownBy(this.reading::get).withMessage("interrupted");
		assertThat(Thread.interrupted()).isTrue();
		this.interrupted = false;
		assertThat(this.reading.get()).isEqualTo(2);
	}

}
