package io.lowkiq.reliability.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;

/** A JVM of its own that runs one of the programs. Not thread-safe. */
public final class ProgramProcess {

	private final String name;

	private final Process process;

	private final Path output;

	/** Starts a program. */
	public ProgramProcess(String name, Class<?> program, Path directory, List<String> arguments) {
		this(name, program, directory, arguments, List.of(), System.getProperty("java.class.path"));
	}

	/** Starts a program of a build in a network. */
	ProgramProcess(String name, Class<?> program, Path directory, List<String> arguments, List<String> network,
			String classPath) {
		this.name = name;
		this.output = directory.resolve(name + ".log");
		List<String> command = new ArrayList<>(network);
		command.addAll(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx192m",
				"-Xss512k", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-cp", classPath,
				program.getName()));
		command.addAll(arguments);
		try {
			this.process = new ProcessBuilder(command).redirectErrorStream(true)
				.redirectOutput(this.output.toFile())
				.start();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	String name() {
		return this.name;
	}

	/** Whether it runs. */
	public boolean isAlive() {
		return this.process.isAlive();
	}

	boolean printed(String line) {
		return printed().contains(line);
	}

	/** Whether a line that it has printed contains a text. */
	boolean says(String text) {
		return printed().stream().anyMatch((line) -> line.contains(text));
	}

	private List<String> printed() {
		try {
			return Files.readAllLines(this.output);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Waits until the program says something. */
	public ProgramProcess awaitLine(String line, Duration timeout) {
		Awaitility.await(this.name + " prints " + line)
			.pollInterval(Duration.ofMillis(20))
			.atMost(timeout)
			.until(() -> printed(line) || !this.process.isAlive());
		if (!printed(line)) {
			throw new IllegalStateException(
					this.name + " ended with " + this.process.exitValue() + ": " + String.join("\n", printed()));
		}
		return this;
	}

	void awaitExit(Duration timeout) {
		try {
			if (!this.process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
				throw new IllegalStateException(this.name + " does not end");
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	/** Sends a line to the program. */
	void send(String line) {
		try {
			this.process.getOutputStream().write((line + "\n").getBytes(java.nio.charset.StandardCharsets.UTF_8));
			this.process.getOutputStream().flush();
		}
		catch (IOException ex) {
			// It has ended
		}
	}

	/** Kills it, without a chance to do anything. */
	public void kill() {
		this.process.destroyForcibly();
		awaitExit(Duration.ofSeconds(10));
	}

	/** Ends it in an orderly way. */
	public void terminate() {
		signal("-TERM");
	}

	void freeze() {
		signal("-STOP");
	}

	void thaw() {
		signal("-CONT");
	}

	private void signal(String signal) {
		try {
			new ProcessBuilder("kill", signal, Long.toString(this.process.pid())).start().waitFor();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
