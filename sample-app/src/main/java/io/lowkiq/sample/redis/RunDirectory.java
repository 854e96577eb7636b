package io.lowkiq.sample.redis;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.util.FileSystemUtils;

/**
 * The directory of one run of the embedded Redis: its program, its log, and a note of
 * whose it is, so that a later run can clear up after an application that was killed.
 */
final class RunDirectory {

	private static final Logger logger = LoggerFactory.getLogger(RunDirectory.class);

	/** Holds pid and start time of the JVM, and the port of the Redis. */
	private static final String NOTE = "owner";

	private final Path path;

	private RunDirectory(Path path) {
		this.path = path;
	}

	/**
	 * Creates a directory for this run.
	 * @throws IOException if it can't be created
	 */
	static RunDirectory create(Path parent) throws IOException {
		Files.createDirectories(parent);
		Path path = Files.createDirectory(parent.toRealPath().resolve("run-" + UUID.randomUUID()));
		return new RunDirectory(path);
	}

	/**
	 * Stops the servers and deletes the directories of applications that have ended
	 * without doing so. Those of living applications are left alone.
	 * @throws IOException if the directory can't be read
	 */
	static void deleteLeftovers(Path parent) throws IOException {
		if (!Files.isDirectory(parent)) {
			return;
		}
		List<Path> runs;
		try (Stream<Path> children = Files.list(parent)) {
			runs = children.filter((child) -> Files.exists(child.resolve(NOTE))).toList();
		}
		for (Path run : runs) {
			List<String> note = Files.readAllLines(run.resolve(NOTE));
			if (note.size() == 3 && !isAlive(note.get(0), note.get(1))) {
				shutDown(Integer.parseInt(note.get(2)), run);
				new RunDirectory(run).delete();
			}
		}
	}

	Path path() {
		return this.path;
	}

	/**
	 * Notes whose directory it is.
	 * @throws IOException if it can't be written
	 */
	void remember(int port) throws IOException {
		ProcessHandle self = ProcessHandle.current();
		Files.write(this.path.resolve(NOTE), List.of(Long.toString(self.pid()), startOf(self), Integer.toString(port)));
	}

	/** Deletes the directory. */
	void delete() {
		try {
			FileSystemUtils.deleteRecursively(this.path);
		}
		catch (IOException ex) {
			logger.debug("{} is left behind", this.path, ex);
		}
	}

	private static boolean isAlive(String pid, String start) {
		Optional<ProcessHandle> owner = ProcessHandle.of(Long.parseLong(pid));
		return owner.isPresent() && startOf(owner.get()).equals(start);
	}

	private static String startOf(ProcessHandle process) {
		return process.info().startInstant().map(Object::toString).orElse("");
	}

	private static void shutDown(int port, Path directory) {
		try (RedisConversation redis = new RedisConversation(port)) {
			if (redis.livesIn(directory)) {
				redis.shutDown();
				logger.info("Stopped the embedded Redis of an earlier run on port {}", port);
			}
		}
		catch (IOException ex) {
			logger.debug("Nothing of an earlier run on port {}", port, ex);
		}
	}

}
