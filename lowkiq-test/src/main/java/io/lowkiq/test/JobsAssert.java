package io.lowkiq.test;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import org.assertj.core.api.AbstractAssert;

/**
 * Assertions about many jobs, waiting or dead. A failure prints them all.
 *
 * @param <S> the type of the assertion
 * @param <A> the type of what is asserted about
 */
public abstract sealed class JobsAssert<S extends JobsAssert<S, A>, A> extends AbstractAssert<S, A>
		permits QueueAssert, MorgueAssert {

	JobsAssert(A actual, Class<?> selfType) {
		super(actual, selfType);
	}

	abstract List<StoredJob> jobs();

	/**
	 * Asserts that there is no job.
	 * @return this assertion
	 */
	public S isEmpty() {
		return hasSize(0);
	}

	/**
	 * Asserts how many jobs there are, one an id.
	 * @param size the number of jobs
	 * @return this assertion
	 */
	public S hasSize(int size) {
		long found = jobs().stream().map(StoredJob::id).distinct().count();
		if (found != size) {
			throw failure("Expected %s, but found %s.%n%n%s", (size == 0) ? "no jobs" : "ids: " + size, found,
					this.actual);
		}
		return this.myself;
	}

	/**
	 * Asserts which ids have a job.
	 * @param ids all ids, in any order
	 * @return this assertion
	 */
	public S hasOnlyJobs(String... ids) {
		Set<String> expected = new TreeSet<>(Arrays.asList(ids));
		Set<String> found = new TreeSet<>(jobs().stream().map(StoredJob::id).toList());
		if (!found.equals(expected)) {
			throw failure("Expected only jobs of the ids %s, but found %s.%n%n%s", expected, found, this.actual);
		}
		return this.myself;
	}

	/**
	 * Asserts that an id has no job.
	 * @param id the id
	 * @return this assertion
	 */
	public S hasNoJob(String id) {
		if (QueueJobs.find(jobs(), id).isPresent()) {
			throw failure("Expected no job '%s', but there is one.%n%n%s", id, this.actual);
		}
		return this.myself;
	}

	final StoredJob found(String id) {
		return QueueJobs.find(jobs(), id)
			.orElseThrow(() -> failure("Expected a job '%s', but there is none.%n%n%s", id, this.actual));
	}

}
