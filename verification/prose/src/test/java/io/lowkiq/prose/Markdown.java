package io.lowkiq.prose;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.languagetool.markup.AnnotatedText;
import org.languagetool.markup.AnnotatedTextBuilder;

/** Tells the prose of a Markdown page from its markup. */
final class Markdown {

	/** Stands for inline code: a noun without an own plural. */
	private static final String CODE = "sheep";

	private static final Pattern MARKUP = Pattern.compile(String.join("|", //
			"(?<block>(?m:^ *```(?s:.*?)^ *```$)|(?s:<!--.*?-->)|(?m:^\\|[ |:-]+\\|$)|\\||(?m:^ *(?:[-*]|\\d+\\.) +))",
			"(?<code>`[^`]+`)",
			"(?<silent>!?\\[(?=[^\\]]*]\\()|]\\([^)]*\\)|(?m:^#+ +)|(?m:^> *)|\\*\\*?(?=\\S)|(?<=\\S)\\*\\*?)",
			"(?<break>(?<!\\n)\\n(?!\\n))", "(?<html><[^>]+>)"));

	private Markdown() {
	}

	static AnnotatedText parse(String page) {
		AnnotatedTextBuilder builder = new AnnotatedTextBuilder();
		Matcher markup = MARKUP.matcher(page);
		int end = 0;
		while (markup.find()) {
			builder.addText(page.substring(end, markup.start()));
			builder.addMarkup(markup.group(), meaning(markup));
			end = markup.end();
		}
		return builder.addText(page.substring(end)).build();
	}

	private static String meaning(Matcher markup) {
		if (markup.group("block") != null) {
			return "\n\n";
		}
		if (markup.group("code") != null) {
			return CODE;
		}
		return (markup.group("silent") != null) ? "" : " ";
	}

}
