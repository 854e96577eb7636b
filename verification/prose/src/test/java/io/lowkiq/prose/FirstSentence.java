package io.lowkiq.prose;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The first sentence of a comment, as overviews of types and methods show it.
 *
 * @param line the line in which it begins, from 1 on
 * @param text the sentence on one line, with code replaced by {@code ~}
 */
record FirstSentence(int line, String text) {

	/** Javadoc begins a line: a path with two asterisks does not. */
	private static final Pattern JAVADOC = Pattern.compile("(?m)^[ \\t]*/\\*\\*(?s:(?<text>.*?))\\*/");

	private static final Pattern HEAD = Pattern.compile("\\A(?<text>(?:--.*\\R)+)");

	private static final Pattern MARGIN = Pattern.compile("(?m)^(?:[ \\t]*\\*(?!/)|--)");

	private static final Pattern END = Pattern.compile("(?<=[.])\\s|(?m:^\\s*@)|<(?:p|ul|ol|pre)>|\\n[ \\t]*\\n");

	private static final Pattern CODE = Pattern.compile("\\{@(?:code|literal|value)[^}]*}");

	/**
	 * The first sentences of a Java file's Javadoc, without comments that only have tags.
	 */
	static List<FirstSentence> ofJava(String source) {
		return of(source, JAVADOC);
	}

	/** The first sentence of a script's head; none if it has no head. */
	static List<FirstSentence> ofLua(String source) {
		return of(source, HEAD);
	}

	private static List<FirstSentence> of(String source, Pattern comments) {
		List<FirstSentence> sentences = new ArrayList<>();
		Matcher comment = comments.matcher(source);
		while (comment.find()) {
			String text = MARGIN.matcher(comment.group("text"))
				.replaceAll((margin) -> " ".repeat(margin.end() - margin.start()));
			int begin = text.length() - text.stripLeading().length();
			String sentence = END.split(text.substring(begin), 2)[0];
			if (!sentence.isBlank()) {
				sentences.add(new FirstSentence(line(source, comment.start("text") + begin),
						CODE.matcher(sentence).replaceAll("~").strip().replaceAll("\\s+", " ")));
			}
		}
		return sentences;
	}

	/** The line of a position, from 1 on. */
	static int line(String text, int position) {
		return (int) text.substring(0, position).chars().filter((character) -> character == '\n').count() + 1;
	}

}
