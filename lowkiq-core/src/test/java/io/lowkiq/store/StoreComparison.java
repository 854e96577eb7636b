package io.lowkiq.store;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Makes each operation on two storages with the same clock, and compares every answer and
 * the whole state.
 */
final class StoreComparison implements RandomRun.Steps {

	private static final int REMEMBERED = 40;

	private final TestedStore expected;

	private final TestedStore actual;

	private final MovableClock clock;

	private final long seed;

	private final Deque<String> last = new ArrayDeque<>();

	private int count;

	StoreComparison(long seed, MovableClock clock, TestedStore expected, TestedStore actual) {
		this.seed = seed;
		this.clock = clock;
		this.expected = expected;
		this.actual = actual;
	}

	/**
	 * Compares two storages over a number of random operations.
	 * @param seed the seed of the operations
	 * @param operations their number
	 * @param clock the clock of both
	 * @param expected the one to be followed
	 * @param actual the one that follows
	 * @param listening whether owners listen for messages
	 */
	static void run(long seed, int operations, MovableClock clock, TestedStore expected, TestedStore actual,
			boolean listening) {
		run(seed, operations, clock, expected, actual, listening, RandomRun.Pushes.OF_ALL_KINDS);
	}

	/**
	 * Compares two storages over a number of random operations.
	 * @param seed the seed of the operations
	 * @param operations their number
	 * @param clock the clock of both
	 * @param expected the one to be followed
	 * @param actual the one that follows
	 * @param listening whether owners listen for messages
	 * @param pushes what is pushed
	 */
	static void run(long seed, int operations, MovableClock clock, TestedStore expected, TestedStore actual,
			boolean listening, RandomRun.Pushes pushes) {
		System.out.printf("%d operations with -Dlowkiq.test.seed=%d%n", operations, seed);
		new RandomRun(seed, clock, new StoreComparison(seed, clock, expected, actual), listening, pushes)
			.run(operations);
	}

	@Override
	public <T> T step(String description, Function<TestedStore, T> operation) {
		this.count++;
		this.last.addLast(this.count + " at " + this.clock.instant() + ": " + description);
		if (this.last.size() > REMEMBERED) {
			this.last.removeFirst();
		}
		T answer = operation.apply(this.expected);
		this.last.addLast(this.last.removeLast() + "\n    -> " + answer);
		compare("the answer", answer, answer(operation));
		return answer;
	}

	private <T> T answer(Function<TestedStore, T> operation) {
		try {
			return operation.apply(this.actual);
		}
		catch (RuntimeException ex) {
			throw new AssertionError(report("the answer is an exception"), ex);
		}
	}

	@Override
	public void check() {
		compare("the counts", state(this.expected), state(this.actual));
	}

	private Map<String, Object> state(TestedStore store) {
		Map<String, Object> state = new LinkedHashMap<>();
		state.put("counts", store.inspection().counts(StoreContract.SHARD));
		for (JobView.State where : JobView.State.values()) {
			List<JobView> byId = list(store,
					new JobQuery(where, JobQuery.Order.ID, false, null, null, null, 1_000, 1_000));
			state.put(where + " by id", byId);
			List<JobView> byTime = list(store,
					new JobQuery(where, JobQuery.Order.PERFORM_AT, false, null, null, null, 2, 1_000));
			state.put(where + " ordered by performAt",
					byTime.stream()
						.map(JobView::performAt)
						.sorted()
						.toList()
						.equals(byTime.stream().map(JobView::performAt).toList()));
			state.put(where + " the same by performAt",
					byTime.size() == byId.size() && new HashSet<>(byTime).equals(new HashSet<>(byId)));
		}
		List<JobView> byRetryCount = list(store, JobQuery.first(JobView.State.QUEUED, JobQuery.Order.RETRY_COUNT, 3));
		state.put("retry counts", byRetryCount.stream().map(JobView::retryCount).toList());
		state.put("ids by retry count",
				byRetryCount.stream().map(JobView::id).sorted(Comparator.naturalOrder()).toList());
		return state;
	}

	private static List<JobView> list(TestedStore store, JobQuery query) {
		List<JobView> jobs = new ArrayList<>();
		JobPage page = store.inspection().list(StoreContract.SHARD, query);
		jobs.addAll(page.jobs());
		while (page.next() != null) {
			page = store.inspection().list(StoreContract.SHARD, query.after(page.next()));
			jobs.addAll(page.jobs());
		}
		return jobs;
	}

	private void compare(String what, Object expectedAnswer, Object actualAnswer) {
		if (!expectedAnswer.equals(actualAnswer)) {
			throw new AssertionError(report(what + " differs\nexpected: " + detailed(expectedAnswer) + "\nactual:   "
					+ detailed(actualAnswer)));
		}
	}

	private static String detailed(Object answer) {
		if (answer instanceof Map<?, ?> state) {
			StringBuilder lines = new StringBuilder();
			state.forEach((key, value) -> lines.append("\n  ").append(key).append(": ").append(value));
			return lines.toString();
		}
		return String.valueOf(answer);
	}

	private String report(String what) {
		return "Seed %d, step %d: %s%nLast operations:%n%s".formatted(this.seed, this.count, what,
				String.join("\n", this.last));
	}

}
