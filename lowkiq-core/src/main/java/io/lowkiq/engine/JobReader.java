package io.lowkiq.engine;

import java.util.ArrayList;
import java.util.List;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.lowkiq.PayloadCodec;
import io.lowkiq.PayloadException;
import io.lowkiq.store.FetchedJob;
import io.lowkiq.store.Outcome;
import io.lowkiq.store.Payload;

/**
 * Reads the payloads of fetched jobs. One that can't be read goes to the morgue and stops
 * nothing else (I8).
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
	 * Reads jobs.
	 * @param queue the queue of the jobs
	 * @param jobs the jobs
	 * @param outcomes gets the rejects
	 * @return the jobs of which something could be read
	 */
	List<ReadableJob> read(ServedQueue queue, List<FetchedJob> jobs, List<Outcome> outcomes) {
		List<ReadableJob> result = new ArrayList<>(jobs.size());
		for (FetchedJob job : jobs) {
			read(queue, job, outcomes, result);
		}
		return result;
	}

	private void read(ServedQueue queue, FetchedJob job, List<Outcome> outcomes, List<ReadableJob> result) {
		List<Object> payloads = new ArrayList<>(job.payloads().size());
		List<Payload> readable = new ArrayList<>(job.payloads().size());
		List<Integer> unreadable = new ArrayList<>();
		String reason = "";
		for (int i = 0; i < job.payloads().size(); i++) {
			Payload payload = job.payloads().get(i);
			try {
				payloads.add(decode(queue, payload));
				readable.add(payload);
			}
			catch (Exception | StackOverflowError ex) {
				reason = unreadable.isEmpty() ? this.failureText.of(ex) : reason;
				unreadable.add(i);
			}
		}
		if (!unreadable.isEmpty()) {
			logger.warn("{} payloads of job '{}' of queue '{}' can't be read and go to the morgue", unreadable.size(),
					job.id(), queue.name());
			outcomes.add(new Outcome.Reject(job.id(), List.copyOf(unreadable), reason));
		}
		if (!payloads.isEmpty()) {
			result.add(new ReadableJob(job, payloads, readable));
		}
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
