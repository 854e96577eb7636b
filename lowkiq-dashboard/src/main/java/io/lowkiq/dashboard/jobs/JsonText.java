package io.lowkiq.dashboard.jobs;

/**
 * Changes the blanks between the parts of a valid JSON document, and nothing else: a
 * mapper would write {@code -0.0}, {@code 1e3}, escapes and repeated names differently.
 */
final class JsonText {

	private static final String INDENT = "  ";

	private final String document;

	private final boolean pretty;

	private final StringBuilder text = new StringBuilder();

	private int depth;

	private JsonText(String document, boolean pretty) {
		this.document = document;
		this.pretty = pretty;
	}

	/** The document without blanks between its parts. */
	static String compact(String document) {
		return new JsonText(document, false).write();
	}

	/** The document with a line for each property and element. */
	static String pretty(String document) {
		return new JsonText(document, true).write();
	}

	private String write() {
		int at = 0;
		while (at < this.document.length()) {
			char c = this.document.charAt(at);
			if (c == '"') {
				int end = endOfString(at);
				this.text.append(this.document, at, end);
				at = end;
			}
			else {
				at++;
				if (!isBlank(c)) {
					write(c, at);
				}
			}
		}
		return this.text.toString();
	}

	private void write(char c, int next) {
		if (!this.pretty) {
			this.text.append(c);
			return;
		}
		switch (c) {
			case '{', '[' -> {
				this.depth++;
				this.text.append(c);
				lineUnlessClosed(next);
			}
			case '}', ']' -> {
				this.depth--;
				char before = this.text.charAt(this.text.length() - 1);
				if (before == '{' || before == '[') {
					this.text.append(' ');
				}
				else {
					line();
				}
				this.text.append(c);
			}
			case ',' -> {
				this.text.append(c);
				line();
			}
			case ':' -> this.text.append(": ");
			default -> this.text.append(c);
		}
	}

	private void lineUnlessClosed(int next) {
		int at = next;
		while (isBlank(this.document.charAt(at))) {
			at++;
		}
		char c = this.document.charAt(at);
		if (c != '}' && c != ']') {
			line();
		}
	}

	private void line() {
		this.text.append('\n').append(INDENT.repeat(this.depth));
	}

	/** The place after the closing quotation mark. */
	private int endOfString(int start) {
		int at = start + 1;
		while (this.document.charAt(at) != '"') {
			at += (this.document.charAt(at) == '\\') ? 2 : 1;
		}
		return at + 1;
	}

	private static boolean isBlank(char c) {
		return c == ' ' || c == '\t' || c == '\n' || c == '\r';
	}

}
