package io.lowkiq.autoconfigure;

import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.lowkiq.store.StoreException;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class UnservedQueueWatchTests {

	private List<String> unserved = List.of();

	private boolean isAway;

	private long now;

	private final UnservedQueueWatch watch = new UnservedQueueWatch(this::find, () -> this.now);

	private List<String> find() {
		if (this.isAway) {
			throw new StoreException("away", null);
		}
		return this.unserved;
	}

	@Test
	void saysOnceThatAQueueStaysUnserved(CapturedOutput output) {
		this.unserved = List.of("old");
		lookAfter(0);
		lookAfter(119);
		assertThat(output).doesNotContain("old");
		lookAfter(1);
		lookAfter(500);
		this.isAway = true;
		lookAfter(500);
		this.isAway = false;
		lookAfter(500);
		assertThat(output).containsOnlyOnce("No node serves queue 'old' any more");
	}

	@Test
	void saysNothingOfADeployAndSpeaksAgainAfterIt(CapturedOutput output) {
		this.unserved = List.of("old");
		lookAfter(0);
		lookAfter(100);
		this.unserved = List.of();
		lookAfter(10);
		this.unserved = List.of("old");
		lookAfter(20);
		lookAfter(119);
		assertThat(output).doesNotContain("old");
		lookAfter(1);
		assertThat(output).containsOnlyOnce("No node serves queue 'old' any more");
	}

	private void lookAfter(int seconds) {
		this.now += TimeUnit.SECONDS.toNanos(seconds);
		this.watch.loop().runOnce();
	}

}
