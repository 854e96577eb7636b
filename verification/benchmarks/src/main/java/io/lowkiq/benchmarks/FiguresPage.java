package io.lowkiq.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A page whose figures are generated. They are between two marks.
 *
 * @param file the page
 */
record FiguresPage(Path file) {

	private static final String BEGIN = "<!-- figures: begin -->\n";

	private static final String END = "<!-- figures: end -->\n";

	/** The figures that the page shows. */
	String figures() {
		String page = read();
		return page.substring(begin(page), end(page));
	}

	/** Replaces the figures. */
	void write(String figures) {
		String page = read();
		try {
			Files.writeString(this.file, page.substring(0, begin(page)) + block(figures) + page.substring(end(page)));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Figures as they are between the marks. */
	static String block(String figures) {
		return "\n" + figures + "\n";
	}

	private int begin(String page) {
		int begin = page.indexOf(BEGIN);
		if (begin < 0) {
			throw new IllegalStateException("No marks for the figures in " + this.file);
		}
		return begin + BEGIN.length();
	}

	private int end(String page) {
		int end = page.indexOf(END);
		if (end < begin(page)) {
			throw new IllegalStateException("No marks for the figures in " + this.file);
		}
		return end;
	}

	private String read() {
		try {
			return Files.readString(this.file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
