package io.lowkiq.benchmarks;

import java.nio.file.Path;

/**
 * Where the figures of the last full run are kept and shown: one file, from which the
 * figures of all pages are generated.
 *
 * @param root the directory of the project
 */
record Documentation(Path root) {

	/** The file with the figures. */
	Path file() {
		return this.root.resolve("verification/benchmarks/figures.tsv");
	}

	/** The page with all figures. */
	FiguresPage all() {
		return new FiguresPage(this.root.resolve("docs/appendix/performance.md"));
	}

	/** The page with the most important ones. */
	FiguresPage headlines() {
		return new FiguresPage(this.root.resolve("README.md"));
	}

	/** Keeps figures, and shows them. */
	void write(Recording recording) {
		recording.writeTo(file());
		show();
	}

	/** Shows the figures of the file on the pages. */
	void show() {
		Recording recording = Recording.read(file());
		all().write(new Report(recording).text());
		headlines().write(new Headlines(recording).text());
	}

}
