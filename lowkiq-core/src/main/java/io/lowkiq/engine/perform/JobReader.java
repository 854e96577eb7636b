package io.lowkiq.engine.perform;

import java.util.ArrayList;
import java.util.List;

import io.lowkiq.PayloadCodec;
import io.lowkiq.PayloadException;
import io.lowkiq.PrintableThrowable;
import io.lowkiq.store.FetchedJob;
import io.lowkiq.store.Outcome;
import io.lowkiq.store.Payload;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the payloads of fetched jobs. One that can't be read goes to the morgue and stops
 * nothing else (I8). An {@link Error}, such as a class that can't be loaded, says nothing
 * about the payload: it is thrown, and the job has failed.
 */
final class JobReader {

	private static final Logger logger = LoggerFactory.getLogger(JobReader.class);

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
	 * @return the job with the payloads that can be read, and the outcome for the others
	 */
	ReadableJob read(ServedQueue queue, FetchedJob job) {
		List<Object> payloads = new ArrayList<>(job.payloads().size());
		List<Payload> readable = new ArrayList<>(job.payloads().size());
		List<Integer> unreadable = new ArrayList<>();
		Throwable reason = null;
		for (int i = 0; i < job.payloads().size(); i++) {
			Payload payload = job.payloads().get(i);
			try {
				payloads.add(decode(queue, payload));
				readable.add(payload);
			}
			catch (RuntimeException ex) {
				reason = (reason != null) ? reason : ex;
				unreadable.add(i);
			}
		}
		Outcome.Reject reject = null;
		if (reason != null) {
			logger.warn("{} of {} payloads of job '{}' of queue '{}' can't be read and go to the morgue: {}",
					unreadable.size(), job.payloads().size(), job.id(), queue.name(),
					PrintableThrowable.describe(reason));
			reject = new Outcome.Reject(job.id(), List.copyOf(unreadable), this.failureText.of(reason));
		}
		return new ReadableJob(job, payloads, readable, reject);
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
