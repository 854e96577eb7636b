package io.lowkiq.engine.perform;

import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class PerformTimesTests {

	private final PerformTimes times = new PerformTimes();

	@ParameterizedTest
	@CsvSource({ "-1, 0", "0, 0", "999999, 0", "1000000, 1", "1999999, 1", "2000000, 2", "3999999, 2", "4000000, 3",
			"1023999999, 10", "1024000000, 11", "9223372036854775807, 30" })
	void countsByPowersOfTwo(long nanos, int place) {
		this.times.performed(nanos);
		assertThat(this.times.counts()[place]).isEqualTo(1);
		assertThat(this.times.counts()).hasSize(31).containsOnlyOnce(1);
	}

	@Test
	void theCountsOfManyThreadsAddUp() throws Exception {
		Thread[] threads = new Thread[4];
		for (int i = 0; i < threads.length; i++) {
			threads[i] = new Thread(() -> {
				for (int j = 0; j < 10_000; j++) {
					this.times.performed(TimeUnit.MILLISECONDS.toNanos(1));
				}
			});
			threads[i].start();
		}
		for (Thread thread : threads) {
			thread.join();
		}
		assertThat(this.times.counts()[1]).isEqualTo(40_000);
	}

}
