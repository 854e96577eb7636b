package io.lowkiq.reliability.model;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;

import io.lowkiq.reliability.model.World.Invariant;
import io.lowkiq.reliability.model.World.Step;

/**
 * Goes through all states that can be reached, the nearest first.
 */
final class Search {

	private final Map<String, Integer> numbers = new HashMap<>();

	/** Of each state: the one that it was first reached from, and by what. */
	private final List<Integer> parents = new ArrayList<>();

	private final List<String> causes = new ArrayList<>();

	/** The states from which all work can be finished without another fault. */
	private final BitSet finishing = new BitSet();

	/** Of each state: those from which it is reached without a fault. */
	private final List<int[]> sources = new ArrayList<>();

	private final List<String> violation = new ArrayList<>();

	private final Map<String, String> words = new HashMap<>();

	/**
	 * Searches until an invariant is broken or all is seen.
	 * @param world the first state
	 * @param invariants what must hold
	 * @param progress whether, besides, the work must be able to come to its end from
	 * everywhere, without the crash of a node or the end of a living one's session: then
	 * no job is stranded behind a living owner
	 */
	Search(World world, Set<Invariant> invariants, boolean progress) {
		Queue<World> frontier = new ArrayDeque<>();
		number(world, -1, "start", frontier);
		for (int current = 0; !frontier.isEmpty(); current++) {
			World state = frontier.remove();
			for (Invariant invariant : invariants) {
				if (state.breaks(invariant)) {
					trace(current, invariant.name());
					return;
				}
			}
			if (state.isFinished()) {
				this.finishing.set(current);
			}
			for (Step step : state.steps()) {
				int next = number(step.next(), current, step.what(), frontier);
				if (progress && !step.fault()) {
					addSource(next, current);
				}
			}
		}
		if (progress) {
			findStranded();
		}
	}

	/**
	 * The number of different states.
	 */
	int states() {
		return this.parents.size();
	}

	/**
	 * How an invariant was broken, step by step; empty if none was.
	 */
	List<String> violation() {
		return this.violation;
	}

	private int number(World world, int parent, String cause, Queue<World> frontier) {
		int next = this.parents.size();
		Integer known = this.numbers.putIfAbsent(world.key(), next);
		if (known != null) {
			return known;
		}
		this.parents.add(parent);
		this.causes.add(this.words.computeIfAbsent(cause, (word) -> word));
		this.sources.add(new int[0]);
		frontier.add(world);
		return next;
	}

	private void addSource(int state, int source) {
		int[] old = this.sources.get(state);
		int[] more = Arrays.copyOf(old, old.length + 1);
		more[old.length] = source;
		this.sources.set(state, more);
	}

	private void findStranded() {
		Queue<Integer> frontier = new ArrayDeque<>(this.finishing.stream().boxed().toList());
		while (!frontier.isEmpty()) {
			for (int source : this.sources.get(frontier.remove())) {
				if (!this.finishing.get(source)) {
					this.finishing.set(source);
					frontier.add(source);
				}
			}
		}
		int stranded = this.finishing.nextClearBit(0);
		if (stranded < states()) {
			trace(stranded, "STRANDED");
		}
	}

	private void trace(int state, String what) {
		this.violation.add(what);
		for (int s = state; s >= 0; s = this.parents.get(s)) {
			this.violation.add(this.causes.get(s));
		}
		Collections.reverse(this.violation);
	}

}
