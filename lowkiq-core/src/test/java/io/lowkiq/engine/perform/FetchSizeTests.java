package io.lowkiq.engine.perform;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class FetchSizeTests {

	@Test
	void beginsWithABatch() {
		assertThat(new FetchSize(7, 100).next(0)).isEqualTo(7);
	}

	@Test
	void growsByDoublingWhilePerformsAreQuick() {
		FetchSize size = new FetchSize(1, 100);
		size.performed(1, Duration.ofNanos(1_000).toNanos());
		assertThat(size.next(1)).isEqualTo(2);
		assertThat(size.next(2)).isEqualTo(4);
		assertThat(size.next(64)).isEqualTo(100);
	}

	@Test
	void takesNoMoreThanIsPerformedInAFewMilliseconds() {
		FetchSize size = new FetchSize(1, 100);
		size.performed(10, Duration.ofMillis(10).toNanos());
		assertThat(size.next(50)).isEqualTo(5);
		for (int i = 0; i < 50; i++) {
			size.performed(1, Duration.ofSeconds(1).toNanos());
		}
		assertThat(size.next(50)).isEqualTo(1);
	}

	@Test
	void takesWholeBatches() {
		FetchSize size = new FetchSize(30, 100);
		size.performed(1, 1);
		assertThat(size.next(1_000)).isEqualTo(90);
	}

	@Test
	void fetchesABatchEvenWhereFetchingAheadIsSwitchedOff() {
		FetchSize size = new FetchSize(30, 1);
		size.performed(1, 1);
		assertThat(size.next(1_000)).isEqualTo(30);
	}

}
