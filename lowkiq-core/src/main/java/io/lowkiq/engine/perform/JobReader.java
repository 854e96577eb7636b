package io.lowkiq.engine.perform;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.lowkiq.PayloadCodec;
import io.lowkiq.PayloadException;
import io.lowkiq.PrintableThrowable;
import io.lowkiq.engine.perform.ReadableJob.Unreadable;
import io.lowkiq.store.FetchedJob;
import io.lowkiq.store.Payload;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the payloads of fetched jobs. One that can't be read is tried again for a time,
 * because another version of the application may be able to, and holds back those after
 * it; then it goes to the morgue and stops nothing else (I8). An {@link Error}, such as a
 * class that can't be loaded, says nothing about the payload: it is thrown, and the job
 * has failed.
 */
final class JobReader {

	private static final Logger logger = LoggerFactory.getLogger(JobReader.class);

	private static final long FIRST_DELAY = Duration.ofSeconds(1).toMillis();

	private static final long LONGEST_DELAY = Duration.ofMinutes(1).toMillis();

	private final PayloadCodec codec;

	private final FailureText failureText;

	JobReader(PayloadCodec codec, FailureText failureText) {
		this.codec = codec;
		this.failureText = failureText;
	}

	/**
	 * Reads a job.
	 * @param queue the queue of the job
	 * @param job the job
	 * @return the job with the payloads that can be read, and why the others can't
	 */
	ReadableJob read(ServedQueue queue, FetchedJob job) {
		Duration grace = queue.worker().settings().failures().unreadableGrace();
		boolean isInGrace = job.unreadableFor() < grace.toMillis();
		List<Object> payloads = new ArrayList<>(job.payloads().size());
		List<Integer> readable = new ArrayList<>(job.payloads().size());
		List<Integer> unreadable = new ArrayList<>();
		Throwable reason = null;
		for (int i = 0; i < job.payloads().size() && !(isInGrace && reason != null); i++) {
			Payload payload = job.payloads().get(i);
			try {
				payloads.add(decode(queue, payload));
				readable.add(i);
			}
			catch (RuntimeException ex) {
				reason = (reason != null) ? reason : ex;
				unreadable.add(i);
			}
		}
		if (reason == null) {
			return new ReadableJob(job, payloads, readable, null);
		}
		logger.warn(isInGrace
				? "Payload {} of {} of job '{}' of queue '{}' can't be read; it goes to the morgue if that lasts for {}: {}"
				: "Payloads {} of {} of job '{}' of queue '{}' can't be read for {} and go to the morgue: {}",
				unreadable.stream().map((place) -> place + 1).toList(), job.payloads().size(), job.id(), queue.name(),
				grace, PrintableThrowable.describe(reason));
		Duration delay = isInGrace ? delay(job, grace) : null;
		return new ReadableJob(job, payloads, readable,
				new Unreadable(List.copyOf(unreadable), this.failureText.of(reason), delay));
	}

	/** Often at first, then once a minute, and at the end of the grace. */
	private static Duration delay(FetchedJob job, Duration grace) {
		long delay = Math.min(Math.max(job.unreadableFor() / 4, FIRST_DELAY), LONGEST_DELAY);
		return Duration.ofMillis(Math.min(delay, grace.toMillis() - job.unreadableFor()));
	}

	@SuppressWarnings("ConstantValue")
	private Object decode(ServedQueue queue, Payload payload) {
		Object decoded = this.codec.decode(payload.bytes(), queue.worker().payloadType());
		if (decoded == null) {
			throw new PayloadException("The codec read null");
		}
		return decoded;
	}

}
