package io.lowkiq.dashboard;

import java.util.List;
import java.util.stream.Collectors;

/**
 * Text from outside on its way into the log: no line breaks, no control characters, not
 * long.
 */
final class LogText {

	private static final int MOST = 200;

	private static final int MOST_IDS = 20;

	private LogText() {
	}

	static String of(String text) {
		String clean = text.codePoints()
			.limit(MOST)
			.map((c) -> isHarmless(c) ? c : '\uFFFD')
			.collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
			.toString();
		return (text.codePointCount(0, text.length()) > MOST) ? clean + "…" : clean;
	}

	static String of(List<String> ids) {
		String some = ids.stream().limit(MOST_IDS).map((id) -> "'" + of(id) + "'").collect(Collectors.joining(", "));
		return (ids.size() > MOST_IDS) ? some + " and " + (ids.size() - MOST_IDS) + " more" : some;
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
