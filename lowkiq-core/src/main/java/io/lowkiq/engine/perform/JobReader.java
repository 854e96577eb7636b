package io.lowkiq.engine.perform;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.lowkiq.PayloadCodec;
import io.lowkiq.PayloadException;
import io.lowkiq.engine.perform.FailureLog.Rank;
import io.lowkiq.engine.perform.ReadableJob.Unreadable;
import io.lowkiq.internal.DurationText;
import io.lowkiq.internal.LogText;
import io.lowkiq.store.job.FetchedJob;
import io.lowkiq.store.job.FollowUp;
import io.lowkiq.store.job.Payload;
import org.jspecify.annotations.Nullable;

/**
 * Reads the payloads of fetched jobs. An unreadable payload is tried again for a time,
 * because another version of the application may be able to read it, and holds back later
 * ones; then it goes to the morgue and stops nothing else (I8). An {@link Error}, such as
 * a class that can't be loaded, says nothing about the payload: it is thrown, and the job
 * has failed.
 */
final class JobReader {

	private static final long FIRST_DELAY = Duration.ofSeconds(1).toMillis();

	private static final long LONGEST_DELAY = Duration.ofMinutes(1).toMillis();

	private final PayloadCodec codec;

	private final FailureText failureText;

	private final FailureLog failureLog;

	private final UnreadableJobs unreadableJobs;

	JobReader(PayloadCodec codec, FailureText failureText, FailureLog failureLog, UnreadableJobs unreadableJobs) {
		this.codec = codec;
		this.failureText = failureText;
		this.failureLog = failureLog;
		this.unreadableJobs = unreadableJobs;
	}

	/** Reads a job up to the first payload that can't be read. */
	ReadableJob read(ServedQueue queue, FetchedJob job) {
		List<Object> payloads = new ArrayList<>(job.payloads().size());
		List<@Nullable FollowUp> next = new ArrayList<>(job.payloads().size());
		for (Payload payload : job.payloads()) {
			try {
				FollowUp followUp = payload.followUp();
				payloads.add(decode(queue, payload.bytes()));
				next.add(followUp);
			}
			catch (RuntimeException ex) {
				return new ReadableJob(job, payloads, next, unreadable(queue, job, payloads.size(), ex));
			}
		}
		this.unreadableJobs.remove(queue.name(), job.id());
		return new ReadableJob(job, payloads, next, null);
	}

	/** The store knows only since when the first payload can't be read. */
	private Unreadable unreadable(ServedQueue queue, FetchedJob job, int place, RuntimeException reason) {
		Duration grace = queue.worker().settings().failures().unreadableGrace();
		long waited = (place == 0) ? job.unreadableFor() : 0;
		boolean isInGrace = waited < grace.toMillis();
		if (!isInGrace) {
			this.unreadableJobs.remove(queue.name(), job.id());
		}
		if (!isInGrace || this.unreadableJobs.add(queue.name(), job.id(), reason, Duration.ofMillis(waited), grace)) {
			this.failureLog
				.failed(queue.name(), job.id(), reason, isInGrace ? Rank.REPEATED : Rank.LAST, () -> (isInGrace
						? "Payload %s of %s of job '%s' of queue '%s' can't be read; it goes to the morgue if this lasts for %s"
						: "Payload %s of %s of job '%s' of queue '%s' could not be read for %s and goes to the morgue")
					.formatted(place + 1, job.payloads().size(), LogText.of(job.id()), queue.name(),
							DurationText.of(grace)));
		}
		return new Unreadable(place, this.failureText.ofUnreadable(job, place > 0, reason),
				isInGrace ? delay(waited, grace) : null);
	}

	/** Often at first, then once a minute, and at the end of the grace. */
	private static Duration delay(long waited, Duration grace) {
		long delay = Math.min(Math.max(waited / 4, FIRST_DELAY), LONGEST_DELAY);
		return Duration.ofMillis(Math.min(delay, grace.toMillis() - waited));
	}

	@SuppressWarnings("ConstantValue")
	private Object decode(ServedQueue queue, byte[] payload) {
		Object decoded = queue.worker().codecOr(this.codec).decode(payload, queue.worker().payloadType());
		if (decoded == null) {
			throw new PayloadException("The codec returned null");
		}
		return decoded;
	}

}
