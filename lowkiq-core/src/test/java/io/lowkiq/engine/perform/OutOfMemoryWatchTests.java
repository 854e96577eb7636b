package io.lowkiq.engine.perform;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class OutOfMemoryWatchTests {

	private final AtomicLong nanos = new AtomicLong();

	private final List<String> exhausted = new ArrayList<>();

	private final OutOfMemoryWatch watch = new OutOfMemoryWatch(this.nanos::get, this.exhausted::add);

	@Test
	void threeDifferentJobsWithinAMinuteExhaustTheHeap() {
		this.watch.failed("orders", List.of("a"));
		this.watch.failed("orders", List.of("b"));
		assertThat(this.exhausted).isEmpty();
		this.watch.failed("mails", List.of("a"));
		assertThat(this.exhausted).singleElement()
			.asString()
			.contains("'a' of queue 'orders'", "'b' of queue 'orders'", "'a' of queue 'mails'");
	}

	@Test
	void oneJobThatFailsAgainAndAgainDoesNot() {
		for (int i = 0; i < 10; i++) {
			this.watch.failed("orders", List.of("a"));
		}
		assertThat(this.exhausted).isEmpty();
	}

	@Test
	void theJobsOfABatchCountAsOneAlsoWhenTheyFailByThemselvesAfterwards() {
		this.watch.failed("orders", List.of("a", "b", "c"));
		this.watch.failed("orders", List.of("b"));
		this.watch.failed("orders", List.of("b", "d"));
		assertThat(this.exhausted).isEmpty();
	}

	@Test
	void failuresOfMoreThanAMinuteAgoDoNotCount() {
		this.watch.failed("orders", List.of("a"));
		this.watch.failed("orders", List.of("b"));
		this.nanos.addAndGet(Duration.ofSeconds(61).toNanos());
		this.watch.failed("orders", List.of("c"));
		assertThat(this.exhausted).isEmpty();
	}

}
