package io.lowkiq.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.store.inspection.JobQuery.JobList;
import io.lowkiq.store.node.NodeInfo;
import org.awaitility.Awaitility;

/**
 * Makes each operation on two storages with the same clock, and compares every answer,
 * every message and the whole state.
 */
final class StoreComparison implements RandomRun.Steps {

	private static final NodeInfo INFO = new NodeInfo("listening", 0, Duration.ofSeconds(15), Set.of(), false);

	private final TestedStore expected;

	private final TestedStore actual;

	private final Map<TestedStore, Map<String, HeardMessages>> listeners = new LinkedHashMap<>();

	private final List<WakeUps.Subscription> subscriptions = new ArrayList<>();

	/** A comparison. */
	StoreComparison(TestedStore expected, TestedStore actual, boolean listening) {
		this.expected = expected;
		this.actual = actual;
		for (TestedStore store : List.of(expected, actual)) {
			Map<String, HeardMessages> all = new LinkedHashMap<>();
			for (String session : listening ? RandomRun.SESSIONS : List.<String>of()) {
				HeardMessages listener = new HeardMessages();
				this.subscriptions.add(store.wakeUps().subscribe(session, listener));
				listener.awaitHeard("connected");
				listener.all().clear();
				store.nodes().join(session, INFO);
				all.put(session, listener);
			}
			this.listeners.put(store, all);
		}
	}

	@Override
	public <T> T step(String description, Function<TestedStore, T> operation) {
		T answer = operation.apply(this.expected);
		compare("The answer", answer, operation.apply(this.actual));
		return answer;
	}

	@Override
	public void check() {
		this.expected.checkLayout();
		compare("The state", state(this.expected), state(this.actual));
		compare("What was heard", heard(this.expected), heard(this.actual));
	}

	private Map<String, Object> state(TestedStore store) {
		Map<String, Object> state = new LinkedHashMap<>();
		state.put("counts", store.inspection().counts(StoreContract.SHARD));
		for (JobList list : JobList.values()) {
			state.put(list.name(), ListedJobs.of(store, new JobQuery(list, false, null, null, 1_000, 1_000)));
		}
		return state;
	}

	/**
	 * What all sessions have heard since they were last asked. A heartbeat of each shows
	 * that everything before it has arrived.
	 */
	private Map<String, List<String>> heard(TestedStore store) {
		Map<String, List<String>> heard = new LinkedHashMap<>();
		this.listeners.getOrDefault(store, Map.of()).forEach((session, listener) -> {
			store.nodes().beat(session, INFO);
			Awaitility.await()
				.pollDelay(Duration.ZERO)
				.pollInterval(Duration.ofMillis(1))
				.until(() -> listener.all().contains("echo"));
			heard.put(session, List.copyOf(listener.all()));
			listener.all().clear();
		});
		return heard;
	}

	private static void compare(String what, Object expectedAnswer, Object actualAnswer) {
		if (!expectedAnswer.equals(actualAnswer)) {
			throw new AssertionError("%s differs%nexpected: %s%nactual:   %s".formatted(what, detailed(expectedAnswer),
					detailed(actualAnswer)));
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

	@Override
	public void close() {
		this.subscriptions.forEach(WakeUps.Subscription::close);
		this.expected.close();
		this.actual.close();
	}

}
