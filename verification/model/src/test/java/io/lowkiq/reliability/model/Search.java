package io.lowkiq.reliability.model;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;

import io.lowkiq.reliability.model.World.Invariant;
import io.lowkiq.reliability.model.World.Step;

/** Goes through all states that can be reached, the nearest first. */
final class Search {

	private final KnownStates known = new KnownStates();

	/** Of each state: the one that it was first reached from. */
	private final Numbers parents = new Numbers();

	/** Of each state: by which of the words. */
	private final Numbers causes = new Numbers();

	/** The states from which all work can be finished without another fault. */
	private final BitSet finishing = new BitSet();

	/** From which state another one is reached without a fault, and which. */
	private final Numbers sources = new Numbers();

	private final Numbers targets = new Numbers();

	private final List<String> violation = new ArrayList<>();

	private final Map<String, Integer> numbers = new HashMap<>();

	private final List<String> words = new ArrayList<>();

	/** Searches until an invariant is broken or all is seen. */
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
					this.sources.add(current);
					this.targets.add(next);
				}
			}
		}
		if (progress) {
			findStranded();
		}
	}

	/** The number of different states. */
	int states() {
		return this.parents.size();
	}

	/** How an invariant was broken, step by step; empty if none was. */
	List<String> violation() {
		return this.violation;
	}

	private int number(World world, int parent, String cause, Queue<World> frontier) {
		int number = this.known.number(world.key());
		if (number == states()) {
			this.parents.add(parent);
			this.causes.add(this.numbers.computeIfAbsent(cause, (word) -> {
				this.words.add(word);
				return this.words.size() - 1;
			}));
			frontier.add(world);
		}
		return number;
	}

	/** Goes backwards from the states in which all work is done. */
	private void findStranded() {
		int[] first = new int[states() + 1];
		for (int i = 0; i < this.targets.size(); i++) {
			first[this.targets.get(i) + 1]++;
		}
		for (int state = 0; state < states(); state++) {
			first[state + 1] += first[state];
		}
		int[] places = first.clone();
		int[] byTarget = new int[this.sources.size()];
		for (int i = 0; i < this.targets.size(); i++) {
			byTarget[places[this.targets.get(i)]++] = this.sources.get(i);
		}
		Numbers frontier = new Numbers();
		this.finishing.stream().forEach(frontier::add);
		for (int next = 0; next < frontier.size(); next++) {
			int state = frontier.get(next);
			for (int i = first[state]; i < first[state + 1]; i++) {
				if (!this.finishing.get(byTarget[i])) {
					this.finishing.set(byTarget[i]);
					frontier.add(byTarget[i]);
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
			this.violation.add(this.words.get(this.causes.get(s)));
		}
		Collections.reverse(this.violation);
	}

}
