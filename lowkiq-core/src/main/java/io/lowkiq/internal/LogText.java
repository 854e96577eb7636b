package io.lowkiq.internal;

import java.util.Collection;
import java.util.HexFormat;
import java.util.stream.Collectors;

/**
 * Makes external text safe to log: short, and without characters that could forge a line.
 */
public final class LogText {

	private static final int MAX_LENGTH = 200;

	private static final int MAX_IDS = 20;

	private static final int MAX_WORD = 30;

	private LogText() {
	}

	/** At most the first 200 characters, as one line. */
	public static String of(String text) {
		return of(text, MAX_LENGTH);
	}

	/** At most the first 20 in quotes, as one line. */
	public static String of(Collection<String> ids) {
		String some = ids.stream().limit(MAX_IDS).map((id) -> "'" + of(id) + "'").collect(Collectors.joining(", "));
		return (ids.size() > MAX_IDS) ? some + " and " + (ids.size() - MAX_IDS) + " more" : some;
	}

	/** The beginning of a text, without copying the rest. */
	public static String of(String text, int most) {
		StringBuilder clean = new StringBuilder(Math.min(text.length(), most) + 1);
		int end = endOfWord(text, cut(text, most));
		for (int i = 0; i < end;) {
			int c = text.codePointAt(i);
			i += Character.charCount(c);
			append(clean, c);
		}
		return (end < text.length()) ? clean.append('…').toString() : clean.toString();
	}

	/** The beginning of a text as it is, not cut within a character. */
	public static String beginning(String text, int most) {
		return text.substring(0, cut(text, most));
	}

	/** Not within a word, unless it is a long one. */
	private static int endOfWord(String text, int end) {
		int space = (end < text.length()) ? text.lastIndexOf(' ', end) : -1;
		return (space > 0 && space > end - MAX_WORD) ? space : end;
	}

	/** The position at which to cut a text, not within a character. */
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
					clean.append("\\u").append(HexFormat.of().withUpperCase().toHexDigits(part));
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
