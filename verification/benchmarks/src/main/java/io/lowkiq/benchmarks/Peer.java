package io.lowkiq.benchmarks;

import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;

/** A published job queue that has a harness, with the settings that suit it best. */
enum Peer {

	/** Ruby, with the C library for Redis; 5 threads. */
	SIDEKIQ("sidekiq", "Sidekiq (hiredis)", Storage.Kind.REDIS),

	/** Node.js; its one thread performs 50 jobs at once. */
	BULLMQ("bullmq", "BullMQ (concurrency 50)", Storage.Kind.REDIS),

	/** Java, Spring; polls, and performs a job for each thread and poll. */
	RQUEUE("rqueue", "rqueue", Storage.Kind.REDIS),

	/** Java, on a database. */
	JOBRUNR("jobrunr", "JobRunr (PostgreSQL)", Storage.Kind.POSTGRESQL),

	/** Java, on a database; told in its process of what is due at once. */
	DB_SCHEDULER("db-scheduler", "db-scheduler (PostgreSQL)", Storage.Kind.POSTGRESQL);

	private final String folder;

	private final String title;

	private final Storage.Kind storage;

	Peer(String folder, String title, Storage.Kind storage) {
		this.folder = folder;
		this.title = title;
		this.storage = storage;
	}

	/**
	 * The peer of a name.
	 * @throws IllegalArgumentException if there is none
	 */
	static Peer named(String folder) {
		return Arrays.stream(values())
			.filter((peer) -> peer.folder.equals(folder))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("bench.peer-names has no '%s'; there are %s"
				.formatted(folder, Arrays.stream(values()).map(Peer::folder).collect(Collectors.joining(", ")))));
	}

	/** The name of its harness' folder. */
	String folder() {
		return this.folder;
	}

	/** The peer's title. */
	String title() {
		return this.title;
	}

	/** Where it keeps its jobs. */
	Storage.Kind storage() {
		return this.storage;
	}

	/** The settings of its harness. */
	Map<String, String> settings() {
		return switch (this) {
			case SIDEKIQ -> Map.of("THREADS", "5", "HIREDIS", "1");
			case BULLMQ -> Map.of("THREADS", "50");
			case RQUEUE -> Map.of("THREADS", "5", "POLL_MS", "1");
			case JOBRUNR -> Map.of("THREADS", "5");
			case DB_SCHEDULER -> Map.of("THREADS", "5", "IMMEDIATE", "1");
		};
	}

}
