package io.lowkiq.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

import io.lowkiq.engine.runtime.Waiter;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Threads take turns, and wait in virtual time. */
class SchedulerTests {

	private final Timeline timeline = new Timeline(Long.MAX_VALUE, false, List.of());

	private final Scheduler scheduler = new Scheduler(new SplittableRandom(1), this.timeline);

	private final SimulatedProcess process = new SimulatedProcess("p", this.scheduler, new SplittableRandom(2),
			this.timeline, new ArrayList<>());

	private final List<String> happened = new ArrayList<>();

	@Test
	void theTimeJumpsToTheEndOfAWait() {
		long begun = this.scheduler.now();
		start(() -> {
			sleep(Duration.ofHours(1));
			this.happened.add("slept " + Duration.ofNanos(this.scheduler.now() - begun));
		});
		run(Duration.ofHours(2));
		assertThat(this.happened).containsExactly("slept PT1H");
	}

	@Test
	void aSignalEndsAWait() {
		Waiter waiter = this.process.newWaiter();
		start(() -> this.happened.add("signalled " + waiter.await(TimeUnit.DAYS.toNanos(1))));
		this.scheduler.in(1, waiter::signal);
		run(Duration.ofMillis(1));
		assertThat(this.happened).containsExactly("signalled true");
	}

	@Test
	void aSignalBeforeAWaitIsNotLost() {
		Waiter waiter = this.process.newWaiter();
		waiter.signal();
		start(() -> this.happened.add("signalled " + waiter.await(TimeUnit.DAYS.toNanos(1))));
		run(Duration.ofMillis(1));
		assertThat(this.happened).containsExactly("signalled true");
	}

	@Test
	void anInterruptEndsAWait() {
		Waiter waiter = this.process.newWaiter();
		Thread thread = start(() -> this.happened
			.add(waiter.await(TimeUnit.DAYS.toNanos(1)) + " " + Thread.currentThread().isInterrupted()));
		this.scheduler.in(1, thread::interrupt);
		run(Duration.ofMillis(1));
		assertThat(this.happened).containsExactly("false false");
	}

	@Test
	void anInterruptDoesNotEndAnUninterruptibleWait() {
		Waiter waiter = this.process.newWaiter();
		Thread thread = start(() -> this.happened.add(
				waiter.awaitUninterruptibly(TimeUnit.HOURS.toNanos(1)) + " " + Thread.currentThread().isInterrupted()));
		this.scheduler.in(1, thread::interrupt);
		run(Duration.ofMinutes(59));
		assertThat(this.happened).isEmpty();
		run(Duration.ofMinutes(2));
		assertThat(this.happened).containsExactly("false true");
	}

	@Test
	void aFrozenProcessGoesOnWhenItThaws() {
		start(() -> {
			sleep(Duration.ofSeconds(1));
			this.happened.add("went on");
		});
		this.scheduler.in(1, this.process::freeze);
		run(Duration.ofSeconds(5));
		assertThat(this.happened).isEmpty();
		this.process.thaw();
		run(Duration.ofMillis(1));
		assertThat(this.happened).containsExactly("went on");
	}

	@Test
	void aThreadThatFailsIsAProblem() {
		start(() -> {
			throw new IllegalStateException("as wanted");
		});
		run(Duration.ofMillis(1));
		assertThat(this.timeline.problems()).hasSize(1).first().asString().contains("as wanted");
	}

	private Thread start(Runnable work) {
		return this.process.start("t", true, work);
	}

	private void sleep(Duration duration) {
		try {
			this.process.sleep(duration.toNanos());
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private void run(Duration duration) {
		this.scheduler.runUntil(this.scheduler.now() + duration.toNanos());
	}

}
