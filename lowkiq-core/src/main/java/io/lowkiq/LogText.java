package io.lowkiq;

import java.util.Collection;
import java.util.stream.Collectors;

/**
 * Text from outside on its way into the log: without line breaks and other characters
 * that would let it pass for another line, and not long. Such characters are written as
 * in Java, for instance {@code \n}.
 */
public final class LogText {

	private static final int MOST = 200;

	private static final int MOST_IDS = 20;

	private LogText() {
	}

	/**
	 * A text of one line.
	 * @param text an id, the name of a user, or the like
	 * @return its beginning, at most 200 characters of it
	 */
	public static String of(String text) {
		return of(text, MOST);
	}

	/**
	 * A list in one line.
	 * @param ids ids
	 * @return the first of them, at most 20, in quotes
	 */
	public static String of(Collection<String> ids) {
		String some = ids.stream().limit(MOST_IDS).map((id) -> "'" + of(id) + "'").collect(Collectors.joining(", "));
		return (ids.size() > MOST_IDS) ? some + " and " + (ids.size() - MOST_IDS) + " more" : some;
	}

	/** The beginning of a text, of which nothing else is copied. */
	static String of(String text, int most) {
		StringBuilder clean = new StringBuilder(Math.min(text.length(), most) + 1);
		int end = cut(text, most);
		for (int i = 0; i < end;) {
			int c = text.codePointAt(i);
			i += Character.charCount(c);
			append(clean, c);
		}
		return (end < text.length()) ? clean.append('…').toString() : clean.toString();
	}

	/** Where to cut a text, not within a character. */
	static int cut(String text, int most) {
		if (text.length() <= most) {
			return text.length();
		}
		return Character.isHighSurrogate(text.charAt(most - 1)) ? most - 1 : most;
	}

	private static void append(StringBuilder clean, int c) {
		if (isHarmless(c)) {
			clean.appendCodePoint(c);
			return;
		}
		switch (c) {
			case '\n' -> clean.append("\\n");
			case '\r' -> clean.append("\\r");
			case '\t' -> clean.append("\\t");
			default -> {
				for (char part : Character.toChars(c)) {
					clean.append("\\u").append(String.format("%04X", (int) part));
				}
			}
		}
	}

	private static boolean isHarmless(int c) {
		return switch (Character.getType(c)) {
			case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR,
					Character.SURROGATE, Character.UNASSIGNED ->
				false;
			default -> true;
		};
	}

}
