package io.lowkiq.test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

import org.assertj.core.api.AssertProvider;

/**
 * The jobs of a queue that wait or are being performed, at the time of the call. Pass it
 * to AssertJ's {@code assertThat}. Immutable.
 */
public final class QueueJobs implements AssertProvider<QueueAssert> {

	private final String queue;

	private final List<StoredJob> jobs;

	private final Instant now;

	private final Duration unasked;

	QueueJobs(String queue, List<StoredJob> jobs, Instant now, Duration unasked) {
		this.queue = queue;
		this.jobs = jobs;
		this.now = now;
		this.unasked = unasked;
	}

	/**
	 * The queue's name.
	 * @return the name
	 */
	public String queue() {
		return this.queue;
	}

	/**
	 * The jobs.
	 * @return the jobs by performAt; not modifiable
	 */
	public List<StoredJob> jobs() {
		return this.jobs;
	}

	/**
	 * The waiting job of an id; if there is none, the job that is being performed.
	 * @param id the id
	 * @return the job
	 */
	public Optional<StoredJob> find(String id) {
		return find(this.jobs, id);
	}

	/**
	 * The payloads of an id, for instance for a
	 * {@link io.lowkiq.test.probe.WorkerProbe#payloads(String, List) WorkerProbe}.
	 * @param <P> the type of the payloads
	 * @param id the id
	 * @param type the type of the payloads
	 * @return the payloads, ascending by score; empty if there is no such job
	 * @throws ClassCastException if a payload is of another type
	 */
	public <P> List<P> payloads(String id, Class<P> type) {
		return find(id).map((job) -> job.payloads().stream().<P>map(type::cast).toList()).orElse(List.of());
	}

	Instant now() {
		return this.now;
	}

	Duration unasked() {
		return this.unasked;
	}

	/**
	 * A busy job comes before a queued one in performAt, but says less about the future.
	 */
	static Optional<StoredJob> find(List<StoredJob> jobs, String id) {
		return jobs.stream().filter((job) -> job.id().equals(id)).reduce((busy, queued) -> queued);
	}

	@Override
	public QueueAssert assertThat() {
		return new QueueAssert(this);
	}

	@Override
	public String toString() {
		return describe(this.queue, this.jobs, this.now);
	}

	static String describe(String queue, List<StoredJob> jobs, Instant now) {
		return list("Queue '%s' at %s".formatted(queue, now), jobs, now);
	}

	static String describeMorgue(String queue, List<StoredJob> jobs, Instant now) {
		return list("Morgue of queue '%s' at %s".formatted(queue, now), jobs, now);
	}

	private static String list(String title, List<StoredJob> jobs, Instant now) {
		if (jobs.isEmpty()) {
			return title + " is empty";
		}
		return jobs.stream()
			.limit(50)
			.map((job) -> job.describe(now))
			.collect(Collectors.joining("\n    ", title + ":\n    ",
					(jobs.size() > 50) ? "\n    … %s more".formatted(jobs.size() - 50) : ""));
	}

}
