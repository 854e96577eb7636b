package io.lowkiq.prose;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Phrases to avoid, with what to write instead. */
final class Phrases {

	private final List<Phrase> phrases;

	/**
	 * A phrase to avoid.
	 *
	 * @param pattern finds it
	 * @param instead what to write instead
	 */
	private record Phrase(Pattern pattern, String instead) {
	}

	/**
	 * A phrase that was found.
	 *
	 * @param position where it begins
	 * @param text the phrase
	 * @param instead what to write instead
	 */
	record Found(int position, String text, String instead) {
	}

	/**
	 * Reads phrases from a file beside this class, a line each: a regular expression,
	 * {@code =>}, what to write instead.
	 */
	Phrases(String name) throws IOException {
		this.phrases = lines(name).stream().map((line) -> line.split(" => ", 2)).map(Phrases::phrase).toList();
	}

	private static Phrase phrase(String[] rule) {
		return new Phrase(Pattern.compile("(?i)\\b(?:" + rule[0].replace(" ", "\\s+") + ")\\b"), rule[1]);
	}

	List<Found> in(String text) {
		List<Found> found = new ArrayList<>();
		for (Phrase phrase : this.phrases) {
			Matcher matcher = phrase.pattern().matcher(text);
			while (matcher.find()) {
				found.add(new Found(matcher.start(), matcher.group(), phrase.instead()));
			}
		}
		return found;
	}

	/** The lines of a file, without comments and empty ones. */
	static List<String> lines(String name) throws IOException {
		try (InputStream in = Objects.requireNonNull(Phrases.class.getResourceAsStream(name))) {
			return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines()
				.map(String::strip)
				.filter((line) -> !line.isEmpty() && !line.startsWith("#"))
				.toList();
		}
	}

}
