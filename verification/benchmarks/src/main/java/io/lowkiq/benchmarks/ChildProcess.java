package io.lowkiq.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Runs a command that prints {@code MARK <name>} at the borders of its phases and
 * {@code RESULT <key> <value>}, and samples it at each mark.
 */
final class ChildProcess {

	private final Trial trial;

	private final Storage storage;

	private final Sampler sampler;

	private final Consumer<String> log;

	/** A child to run. */
	ChildProcess(Trial trial, Storage storage, Consumer<String> log) {
		this.trial = trial;
		this.storage = storage;
		this.sampler = new Sampler(storage);
		this.log = log;
	}

	/** Runs the child to its end. */
	Measurement run(Duration limit) {
		ProcessBuilder builder = new ProcessBuilder(this.trial.command()).redirectError(Redirect.INHERIT);
		this.trial.folder().ifPresent((folder) -> builder.directory(folder.toFile()));
		builder.environment().putAll(this.trial.environment());
		builder.environment().putAll(this.storage.environment());
		try {
			Process process = builder.start();
			CompletableFuture<Process> limited = process.onExit().orTimeout(limit.toSeconds(), TimeUnit.SECONDS);
			CompletableFuture<?> ended = limited.whenComplete((exited, timeout) -> process.destroyForcibly());
			try (BufferedReader lines = process.inputReader()) {
				return read(lines, process.pid());
			}
			finally {
				process.destroyForcibly();
				ended.cancel(false);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private Measurement read(BufferedReader lines, long pid) throws IOException {
		Measurement measurement = new Measurement(this.trial.jobs());
		for (String line = lines.readLine(); line != null; line = lines.readLine()) {
			String[] words = line.split(" ", -1);
			if (words.length == 2 && words[0].equals("MARK")) {
				measurement.mark(words[1], this.sampler.take(pid));
			}
			else if (words.length == 3 && words[0].equals("RESULT")) {
				measurement.result(words[1], Double.parseDouble(words[2]));
			}
			else {
				this.log.accept(line);
			}
		}
		return measurement;
	}

}
