package io.lowkiq.autoconfigure;

import java.util.Comparator;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** The name that somebody may have meant; similar from 0, not at all, to 1, equal. */
record SimilarName(String name, double similarity) {

	/** Below this, a suggestion confuses. */
	private static final double LEAST = 0.5;

	/** Finds the most similar name. */
	static Optional<String> of(String misspelt, Stream<String> known) {
		return known.map((name) -> new SimilarName(name, similarity(misspelt.split("\\."), name.split("\\."))))
			.filter((candidate) -> candidate.similarity() > 0)
			.max(Comparator.comparingDouble(SimilarName::similarity))
			.map(SimilarName::name);
	}

	private static double similarity(String[] one, String[] other) {
		if (one.length != other.length) {
			return 0;
		}
		double product = 1;
		for (int i = 0; i < one.length; i++) {
			double similarity = similarity(one[i], other[i]);
			product *= (similarity >= LEAST) ? similarity : 0;
		}
		return product;
	}

	/** The share of the pairs of neighboring characters that both have (Dice). */
	private static double similarity(String one, String other) {
		if (one.equals(other)) {
			return 1;
		}
		Set<String> pairs = pairs(one);
		Set<String> common = new HashSet<>(pairs(other));
		double all = pairs.size() + common.size();
		common.retainAll(pairs);
		return (all > 0) ? 2 * common.size() / all : 0;
	}

	private static Set<String> pairs(String text) {
		Set<String> pairs = new HashSet<>();
		for (int i = 1; i < text.length(); i++) {
			pairs.add(text.substring(i - 1, i + 1));
		}
		return pairs;
	}

}
