package io.lowkiq.sample.redis;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.util.FileSystemUtils;

/**
 * The directory of one run of the embedded Redis: its program, its log, its pid, and a
 * note of whose it is, so that a later run can clear up after an application that was
 * killed.
 */
final class RunDirectory {

	private static final Logger logger = LoggerFactory.getLogger(RunDirectory.class);

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	/** Holds pid and start time of the JVM. */
	private static final String NOTE = "owner";

	/** Written by Redis once it listens, and removed at its end. */
	static final String PID = "redis.pid";

	private final Path path;

	private RunDirectory(Path path) {
		this.path = path;
	}

	/** Creates a directory for this run. */
	static RunDirectory create(Path parent) throws IOException {
		Files.createDirectories(parent);
		Path path = Files.createDirectory(parent.toRealPath().resolve("run-" + UUID.randomUUID()));
		ProcessHandle self = ProcessHandle.current();
		Files.write(path.resolve(NOTE), List.of(Long.toString(self.pid()), startOf(self)));
		return new RunDirectory(path);
	}

	/**
	 * Stops the servers and deletes the directories of applications that have ended
	 * without doing so. Those of living applications are left alone.
	 */
	static void deleteLeftovers(Path parent) throws IOException {
		if (!Files.isDirectory(parent)) {
			return;
		}
		List<Path> runs;
		try (Stream<Path> children = Files.list(parent.toRealPath())) {
			runs = children.filter((child) -> Files.exists(child.resolve(NOTE))).toList();
		}
		for (Path run : runs) {
			List<String> note = Files.readAllLines(run.resolve(NOTE));
			if (note.size() == 2 && !isAlive(note.get(0), note.get(1))) {
				new RunDirectory(run).clear();
			}
		}
	}

	Path path() {
		return this.path;
	}

	/** Waits until the server runs. */
	boolean awaitServer() throws InterruptedException {
		return await(() -> server().isPresent());
	}

	/** Stops the server, if it runs, and deletes the directory. */
	void clear() {
		try {
			server().ifPresent(ProcessHandle::destroy);
			if (!await(() -> server().isEmpty())) {
				logger.warn("The embedded Redis of {} did not stop", this.path);
			}
			FileSystemUtils.deleteRecursively(this.path);
		}
		catch (IOException ex) {
			logger.debug("{} is left behind", this.path, ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/** The process of the pid, if its program is in here: others may have got the pid. */
	private Optional<ProcessHandle> server() {
		try {
			long pid = Long.parseLong(Files.readString(this.path.resolve(PID)).strip());
			return ProcessHandle.of(pid)
				.filter((process) -> process.info().command().orElse("").startsWith(this.path.toString()));
		}
		catch (IOException | NumberFormatException ex) {
			return Optional.empty();
		}
	}

	private static boolean await(BooleanSupplier condition) throws InterruptedException {
		long deadline = System.nanoTime() + PATIENCE.toNanos();
		while (!condition.getAsBoolean()) {
			if (System.nanoTime() > deadline) {
				return false;
			}
			TimeUnit.MILLISECONDS.sleep(20);
		}
		return true;
	}

	private static boolean isAlive(String pid, String start) {
		Optional<ProcessHandle> owner = ProcessHandle.of(Long.parseLong(pid));
		return owner.isPresent() && startOf(owner.get()).equals(start);
	}

	private static String startOf(ProcessHandle process) {
		return process.info().startInstant().map(Object::toString).orElse("");
	}

}
