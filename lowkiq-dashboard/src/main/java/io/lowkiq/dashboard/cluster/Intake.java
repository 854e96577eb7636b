package io.lowkiq.dashboard.cluster;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

import io.lowkiq.StoreException;
import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.admin.ScheduleStatus;
import io.lowkiq.admin.SourceStatus;
import io.lowkiq.dashboard.cluster.Found.Kind;
import io.lowkiq.dashboard.cluster.Found.Place;
import io.lowkiq.internal.LogText;
import io.lowkiq.store.inspection.RecentSnapshot;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Schedules, and the sources of this application, which bring jobs by themselves. Says
 * which of them have stopped. Thread-safe.
 */
public final class Intake {

	private static final Logger logger = LoggerFactory.getLogger(Intake.class);

	private static final Duration MAX_AGE = Duration.ofSeconds(5);

	private final LowkiqAdmin admin;

	private final RecentSnapshot<List<ScheduleStatus>> schedules;

	public Intake(LowkiqAdmin admin, InstantSource clock) {
		this.admin = admin;
		this.schedules = new RecentSnapshot<>(admin::schedules, clock, MAX_AGE);
	}

	/** Forgets the last reading, because an action changed it. */
	public void forget() {
		this.schedules.forget();
	}

	/** The schedule of a queue whose time has passed first, in a sentence. */
	String oldest(String queue) {
		try {
			Optional<ScheduleStatus> oldest = this.schedules.get()
				.stream()
				.filter((schedule) -> schedule.queue().equals(queue) && schedule.next() != null)
				.min(Comparator.comparing((schedule) -> Objects.requireNonNull(schedule.next())));
			if (oldest.isPresent()) {
				return "Schedule %s of %s".formatted(LogText.of(oldest.get().id()), queue);
			}
		}
		catch (StoreException ex) {
			logger.debug("Could not read the schedules", ex);
		}
		return "A schedule of " + queue;
	}

	void addTo(List<Found> found) {
		this.admin.sources().forEach((source) -> add(found, source));
		this.schedules.get().forEach((schedule) -> add(found, schedule));
	}

	private static void add(List<Found> found, ScheduleStatus schedule) {
		String name = "Schedule %s of queue %s".formatted(LogText.of(schedule.id()), schedule.queue());
		Place place = Place.named(schedule.queue(), schedule.id());
		if (schedule.problem() != null) {
			found.add(new Found(Kind.SCHEDULE_STOPPED, false,
					"%s does not run: %s".formatted(name, LogText.of(schedule.problem())), place));
		}
		else if (schedule.paused()) {
			found.add(new Found(Kind.SCHEDULE_PAUSED, false, "%s is paused.".formatted(name), place));
		}
	}

	private static void add(List<Found> found, SourceStatus source) {
		String name = "Source %s of queue %s".formatted(LogText.of(source.name()), source.queue());
		Place place = Place.named(source.queue(), source.name());
		switch (source.state()) {
			case FAILED -> found.add(new Found(Kind.SOURCE_STOPPED, true,
					"%s has stopped because of an error, in this application.".formatted(name), place));
			case STOPPED -> found
				.add(new Found(Kind.SOURCE_PAUSED, false, "%s is stopped in this application.".formatted(name), place));
			case PAUSED -> found
				.add(new Found(Kind.SOURCE_PAUSED, false, "%s is paused in this application.".formatted(name), place));
			case RUNNING -> {
				if (source.problem() != null && source.waiting() == 0) {
					found.add(new Found(Kind.SOURCE_WAITS, false,
							"%s reads nothing: %s. Check spring.kafka.bootstrap-servers and the brokers."
								.formatted(name, LogText.of(source.problem())),
							place));
				}
				else if (source.problem() != null) {
					found.add(new Found(Kind.SOURCE_WAITS, false,
							String.format(Locale.ROOT, "%s: %,d %s that can't be enqueued: %s", name, source.waiting(),
									(source.waiting() == 1) ? "record waits" : "records wait",
									LogText.of(source.problem())),
							place));
				}
			}
		}
	}

}
