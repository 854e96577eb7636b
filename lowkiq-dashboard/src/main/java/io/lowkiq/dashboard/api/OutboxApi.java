package io.lowkiq.dashboard.api;

import java.time.Instant;
import java.util.function.BiPredicate;
import java.util.function.Supplier;

import io.lowkiq.StoreException;
import io.lowkiq.admin.KeptJobs;
import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.admin.OutboxStatus;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers the API's questions about the outbox of this application, and changes what it
 * has put aside.
 */
final class OutboxApi {

	private static final Logger logger = LoggerFactory.getLogger(OutboxApi.class);

	private static final int MAX_JOBS = 200;

	/** Later than anything was sent by the clock of the database, which may be ahead. */
	private static final Instant NOW = Instant.parse("9999-12-31T00:00:00Z");

	private final LowkiqAdmin admin;

	OutboxApi(LowkiqAdmin admin) {
		this.admin = admin;
	}

	ApiDocuments.Outbox status(long now, ApiRequest request) {
		int limit = request.number("limit", MAX_JOBS, 1, MAX_JOBS);
		OutboxStatus status = asked(() -> this.admin.outbox(limit));
		return new ApiDocuments.Outbox(now, status.problem(),
				status.waiting()
					.entrySet()
					.stream()
					.map((part) -> new ApiDocuments.WaitingPart(part.getKey(), part.getValue()))
					.toList(),
				status.waitingJobs(), millis(status.waitingSince()), status.aside(),
				status.jobsAside()
					.stream()
					.map((job) -> new ApiDocuments.UnsentJobView(job.sequence(), job.queue(), job.id(), job.reason(),
							job.enqueuedAt().toEpochMilli()))
					.toList(),
				kept(status.kept()));
	}

	private static ApiDocuments.@Nullable KeptJobsView kept(@Nullable KeptJobs kept) {
		return (kept != null) ? new ApiDocuments.KeptJobsView(kept.jobs(), millis(kept.since()), kept.resent(),
				millis(kept.resentAt())) : null;
	}

	private static @Nullable Long millis(@Nullable Instant time) {
		return (time != null) ? time.toEpochMilli() : null;
	}

	void sendAgain(String sequence, ApiRequest request) {
		change(sequence, request, LowkiqAdmin::sendUnsent);
	}

	void drop(String sequence, ApiRequest request) {
		change(sequence, request, LowkiqAdmin::dropUnsent);
	}

	void resendKept(ApiRequest request) {
		Long from = request.time("from");
		Long until = request.time("until");
		if (from == null) {
			throw ApiException.badRequest("The parameter from is required");
		}
		asked(() -> this.admin.as(ActionApi.user(request))
			.resendKept(Instant.ofEpochMilli(from), (until != null) ? Instant.ofEpochMilli(until) : NOW));
	}

	private void change(String sequence, ApiRequest request, BiPredicate<LowkiqAdmin, Long> change) {
		long number = number(sequence);
		if (!asked(() -> change.test(this.admin.as(ActionApi.user(request)), number))) {
			throw ApiException.notFound("The job is not put aside any more");
		}
	}

	/** Its tables are in the database: what is wrong with them is no problem of Redis. */
	private static <T> T asked(Supplier<T> call) {
		try {
			return call.get();
		}
		catch (StoreException ex) {
			logger.debug("The outbox could not be asked", ex);
			throw ApiException.unavailable(String.valueOf(ex.getMessage()));
		}
	}

	private static long number(String sequence) {
		try {
			return Long.parseLong(sequence);
		}
		catch (NumberFormatException ex) {
			throw ApiException.badRequest("The sequence of a job is a number");
		}
	}

}
