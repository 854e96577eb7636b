package io.lowkiq.engine;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.lowkiq.RegisteredWorker;
import io.lowkiq.Worker;
import io.lowkiq.engine.perform.ServedQueue;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class PerformMinutesTests {

	private static final long MINUTE = 60_000;

	private final PerformMinutes minutes = new PerformMinutes();

	private final ServedQueue orders = queue("orders");

	private final ServedQueue mails = queue("mails");

	private static ServedQueue queue(String name) {
		Worker<Object> worker = (id, payloads) -> {
		};
		return new ServedQueue(new RegisteredWorker(name, Worker.class, Object.class,
				new RegisteredWorker.Settings(1, 1, 7, 1_000, 1, 2), () -> worker), 1);
	}

	private static void perform(ServedQueue queue, long millis) {
		queue.times().performed(TimeUnit.MILLISECONDS.toNanos(millis));
	}

	private List<Map<String, Object>> at(long now) {
		return this.minutes.at(now, List.of(this.orders, this.mails));
	}

	@Test
	void tellsOfTheLastTwoFullMinutes() {
		assertThat(at(100 * MINUTE)).isEmpty();
		perform(this.orders, 3);
		perform(this.orders, 3);
		perform(this.mails, 100);
		assertThat(at(101 * MINUTE - 1)).isEmpty();
		Map<String, Object> first = Map.of("minute", 100L, "queues",
				Map.of("orders", Map.of("2", 2L), "mails", Map.of("7", 1L)));
		assertThat(at(101 * MINUTE)).containsExactly(first);
		perform(this.orders, 0);
		assertThat(at(102 * MINUTE - 1)).containsExactly(first);
		Map<String, Object> second = Map.of("minute", 101L, "queues", Map.of("orders", Map.of("0", 1L)));
		assertThat(at(102 * MINUTE)).containsExactly(first, second);
		assertThat(at(103 * MINUTE)).containsExactly(second, Map.of("minute", 102L, "queues", Map.of()));
	}

	@Test
	void whatWasPerformedWhileNobodyAskedCountsToTheLastFullMinute() {
		at(100 * MINUTE);
		perform(this.orders, 3);
		assertThat(at(107 * MINUTE))
			.containsExactly(Map.of("minute", 106L, "queues", Map.of("orders", Map.of("2", 1L))));
	}

	@Test
	void aClockThatIsSetBackCountsNothingTwice() {
		at(100 * MINUTE);
		perform(this.orders, 3);
		at(101 * MINUTE);
		perform(this.orders, 3);
		assertThat(at(90 * MINUTE)).extracting("queues")
			.containsExactly(Map.of("orders", Map.of("2", 1L)), Map.of("orders", Map.of("2", 1L)));
	}

}
