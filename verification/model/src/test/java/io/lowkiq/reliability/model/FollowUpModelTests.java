package io.lowkiq.reliability.model;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.Set;

import io.lowkiq.reliability.model.FollowUpWorld.Rule;
import io.lowkiq.reliability.model.FollowUpWorld.Step;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Searches the whole model of the follow-ups: with a failover that forgets anything, a
 * change of owner and a late call, none is lost, none comes twice, and none is stranded;
 * and each rule that is taken out lets one of these happen.
 */
class FollowUpModelTests {

	private final Map<FollowUpWorld, List<FollowUpWorld>> before = new HashMap<>();

	private final Map<FollowUpWorld, String> causes = new HashMap<>();

	private final Set<FollowUpWorld> finishing = new HashSet<>();

	@Test
	void aFailoverLosesNoFollowUp() {
		assertThat(search(EnumSet.allOf(Rule.class))).isEmpty();
		System.out.printf(Locale.ROOT, "Follow-up model: %,d states%n", this.before.size());
	}

	@Test
	void withoutALookAtTheTargetAFollowUpIsLost() {
		assertThat(search(without(Rule.TARGET_LOOKED_AT))).last().isEqualTo("LOST");
	}

	@Test
	void withCallsThatDoNotNameWhatIsRememberedAFollowUpIsLost() {
		assertThat(search(without(Rule.REMEMBERED_NAMED))).last().isEqualTo("LOST");
	}

	@Test
	void withReadsThatGoOnAFollowUpIsStranded() {
		assertThat(search(without(Rule.READ_FROM_THE_FIRST))).last().isEqualTo("STRANDED");
	}

	private static Set<Rule> without(Rule out) {
		return EnumSet.complementOf(EnumSet.of(out));
	}

	/** How something goes wrong, step by step; empty if nothing can. */
	private List<String> search(Set<Rule> rules) {
		FollowUpWorld first = FollowUpWorld.begin(rules);
		Queue<FollowUpWorld> frontier = new ArrayDeque<>(List.of(first));
		Map<FollowUpWorld, FollowUpWorld> parents = new HashMap<>(Map.of(first, first));
		this.before.put(first, new ArrayList<>());
		while (!frontier.isEmpty()) {
			FollowUpWorld state = frontier.remove();
			if (state.redis().isLost() || state.redis().twice()) {
				return trace(state, parents, state.redis().isLost() ? "LOST" : "TWICE");
			}
			for (Step step : state.steps()) {
				if (parents.putIfAbsent(step.next(), state) == null) {
					frontier.add(step.next());
					this.causes.put(step.next(), step.what());
				}
				List<FollowUpWorld> all = this.before.computeIfAbsent(step.next(), (next) -> new ArrayList<>());
				if (!step.fault()) {
					all.add(state);
				}
			}
		}
		return this.before.keySet()
			.stream()
			.filter((state) -> !finishing().contains(state))
			.findFirst()
			.map((state) -> trace(state, parents, "STRANDED"))
			.orElse(List.of());
	}

	/** The states from which all arrive without another fault. */
	private Set<FollowUpWorld> finishing() {
		if (this.finishing.isEmpty()) {
			Queue<FollowUpWorld> frontier = new ArrayDeque<>();
			this.before.keySet().stream().filter(FollowUpWorld::isFinished).forEach(frontier::add);
			this.finishing.addAll(frontier);
			while (!frontier.isEmpty()) {
				for (FollowUpWorld earlier : this.before.getOrDefault(frontier.remove(), List.of())) {
					if (this.finishing.add(earlier)) {
						frontier.add(earlier);
					}
				}
			}
		}
		return this.finishing;
	}

	private List<String> trace(FollowUpWorld end, Map<FollowUpWorld, FollowUpWorld> parents, String what) {
		List<String> trace = new ArrayList<>(List.of(what));
		for (FollowUpWorld state = end; this.causes.containsKey(state); state = parents.getOrDefault(state, state)) {
			trace.add(this.causes.getOrDefault(state, ""));
		}
		Collections.reverse(trace);
		System.out.println("Follow-up model: " + String.join(", ", trace));
		return trace;
	}

}
