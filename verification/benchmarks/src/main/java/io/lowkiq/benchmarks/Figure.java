package io.lowkiq.benchmarks;

/** A kind of figure, with its place in the table. */
enum Figure {

	/** Jobs per second. */
	RATE("", "jobs/s", 0),

	/** Time per job. */
	WALL("", "µs a job", 2),

	/** CPU time of the measured process per job. */
	CLIENT_CPU("", "client CPU µs a job", 2),

	/** CPU time of Redis or PostgreSQL per job. */
	STORAGE_CPU("", "storage CPU µs a job", 2),

	/** Redis commands per job. */
	COMMANDS("", "commands a job", 3),

	/** CPU of the machine; 200 is all of two cores. */
	MACHINE_LOAD("", "machine CPU %", 0),

	/** Redis commands per second. */
	COMMANDS_PER_SECOND("", "commands/s", 1),

	/** Bytes that Redis receives and sends per second. */
	TRAFFIC("", "Redis traffic bytes/s", 0),

	/** CPU of the measured process; 100 is one core. */
	CLIENT_LOAD("", "client CPU %", 2),

	/** The median of a latency. */
	P50("p50_ms", "p50 ms", 3),

	/** The 95th percentile of a latency. */
	P95("p95_ms", "p95 ms", 3),

	/** The 99th percentile of a latency. */
	P99("p99_ms", "p99 ms", 3),

	/** The largest latency. */
	MAX("max_ms", "max ms", 3),

	/** Bytes of Redis per job, or of PostgreSQL on disk. */
	BYTES("", "bytes a job", 0),

	/** Heap in use after a collection. */
	HEAP("heap_mb", "heap MB", 1),

	/** How often the worker was called. */
	PERFORMS("performs", "runs", 0),

	/** The longest time that one command stopped Redis. */
	LONGEST_COMMAND("longest_command_ms", "longest command ms", 2),

	/** The longest latency of other shards meanwhile. */
	OTHER_MAX("other_max_ms", "other shards max ms", 2),

	/** The longest delay of the producer in enqueueing a job. */
	LATE("late_ms", "enqueued late, max ms", 2),

	/** From the start of many nodes until they share the shards evenly. */
	EVEN_AFTER_START("even_after_start_s", "even after start, s", 1),

	/** From the death of one of them until the others do. */
	EVEN_AFTER_DEATH("even_after_death_s", "even after a death, s", 1),

	/** Jobs performed more than once. */
	REPEATS("repeats", "repeats", 0),

	/** Jobs not performed in the end. */
	LEFT("left", "left", 0),

	/** Payloads performed after a newer one of their id. */
	OUT_OF_ORDER("out_of_order", "out of order", 0),

	/** Runs of payloads that had failed for good before. */
	WASTED("wasted", "wasted runs", 0),

	/** The part of the ids performed no more than 50 ms after they were due. */
	KEPT("kept_percent", "within 50 ms, %", 2);

	private final String key;

	private final String title;

	private final int decimals;

	Figure(String key, String title, int decimals) {
		this.key = key;
		this.title = title;
		this.decimals = decimals;
	}

	/** The result of the child that is this figure. */
	String key() {
		return this.key;
	}

	/** The figure's title, with its unit. */
	String title() {
		return this.title;
	}

	/** Writes a value as people read it. */
	String format(double value) {
		return String.format(java.util.Locale.ROOT, "%,." + this.decimals + "f", value);
	}

}
