package io.lowkiq.engine.perform;

import java.util.ArrayList;
import java.util.List;

import io.lowkiq.PerformedJob;
import io.lowkiq.PerformedJob.Result;
import io.lowkiq.engine.perform.ReadableJob.Mark;
import io.lowkiq.engine.perform.ReadableJob.State;
import io.lowkiq.store.job.Outcome;
import org.jspecify.annotations.Nullable;

/** Describes the results of a job's payloads for observers. */
final class PerformedJobs {

	private PerformedJobs() {
	}

	static List<PerformedJob> of(String queue, ReadableJob job, List<Mark> marks, List<Outcome> outcomes) {
		if (marks.stream().allMatch((mark) -> mark.state() == State.DONE)) {
			return List.of(new PerformedJob(queue, job.id(), job.payloads(), Result.DONE, null));
		}
		List<PerformedJob> performed = new ArrayList<>();
		int begin = 0;
		for (int end = 1; end <= job.payloads().size(); end++) {
			Result result = result(begin, marks.get(begin), outcomes);
			Throwable error = marks.get(begin).error();
			if (end < job.payloads().size() && result == result(end, marks.get(end), outcomes)
					&& error == marks.get(end).error()) {
				continue;
			}
			if (result != null) {
				performed.add(new PerformedJob(queue, job.id(), job.payloads().subList(begin, end), result, error));
			}
			begin = end;
		}
		return performed;
	}

	/** Null for a payload that was not performed. */
	private static @Nullable Result result(int place, Mark mark, List<Outcome> outcomes) {
		if (mark.state() == State.OPEN) {
			return null;
		}
		if (mark.state() == State.DONE) {
			return Result.DONE;
		}
		Result result = Result.RETRIED;
		for (Outcome outcome : outcomes) {
			if (outcome instanceof Outcome.PartlyDone part && part.dead().contains(place)) {
				return Result.BURIED;
			}
			if (outcome instanceof Outcome.PartlyDone part && part.gone().contains(place)) {
				return Result.DISCARDED;
			}
			if (outcome instanceof Outcome.Hold) {
				result = Result.HELD;
			}
		}
		return result;
	}

}
