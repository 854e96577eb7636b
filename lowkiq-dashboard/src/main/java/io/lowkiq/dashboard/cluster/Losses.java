package io.lowkiq.dashboard.cluster;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;

import io.lowkiq.admin.KeptJobs;
import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.dashboard.cluster.Found.Kind;
import io.lowkiq.dashboard.cluster.Found.Place;
import io.lowkiq.internal.TimeText;
import io.lowkiq.store.inspection.RecentSnapshot;
import io.lowkiq.store.node.Forgotten;
import io.lowkiq.store.node.Forgotten.Degree;
import org.jspecify.annotations.Nullable;

/** The recent losses of data in Redis. Thread-safe. */
public final class Losses {

	private static final Duration MAX_AGE = Duration.ofSeconds(1);

	/** The uptime of Redis is in whole seconds. */
	private static final long START_ERROR = Duration.ofSeconds(2).toMillis();

	private final RecentSnapshot<List<Forgotten>> last;

	public Losses(LowkiqAdmin admin, InstantSource clock) {
		this.last = new RecentSnapshot<>(admin::forgotten, clock, MAX_AGE);
	}

	void addTo(List<Found> found, List<RedisFacts.Server> servers, @Nullable KeptJobs kept) {
		this.last.get()
			.forEach((loss) -> found
				.add(new Found(kind(loss), true, loss.sentence() + start(loss, servers) + resent(loss, kept),
						new Place(null, null, null, loss.node(), loss.noticedAt()))));
	}

	private static Kind kind(Forgotten loss) {
		return (loss.degree() == Degree.EVERYTHING) ? Kind.FORGOTTEN : Kind.CALLS_FORGOTTEN;
	}

	/** Says what the outbox has sent again since. */
	private static String resent(Forgotten loss, @Nullable KeptJobs kept) {
		Instant at = (kept != null) ? kept.resentAt() : null;
		return (kept == null || at == null || at.toEpochMilli() < loss.knownAt()) ? ""
				: " The outbox of this application has sent %s again, the last at %s."
					.formatted(Problems.counted(kept.resent(), "job", "jobs"), TimeText.of(at.toEpochMilli()));
	}

	/** Says whether Redis was restarted, if it tells and there is only one. */
	private static String start(Forgotten loss, List<RedisFacts.Server> servers) {
		if (servers.size() != 1 || servers.get(0).startedAt() <= 0) {
			return "";
		}
		long started = servers.get(0).startedAt();
		String time = TimeText.of(started);
		return (started + START_ERROR >= loss.knownAt()) ? " Redis was started at %s.".formatted(time)
				: " Redis has not been restarted: it has run since %s.".formatted(time);
	}

}
