package io.lowkiq.benchmarks;

/**
 * A part of a measured process between two of its marks. The first three are what the
 * peers' harnesses know too.
 */
enum Phase {

	/** Jobs are enqueued. */
	ENQUEUE("enqueue", "enqueue", "enqueued", "enqueue_s", "enqueued"),

	/** Jobs are performed. */
	PERFORM("perform", "process", "processed", "process_s", "processed"),

	/** One job about every 100 ms. */
	IDLE("idle latency", "idle", "idled", "", ""),

	/** Jobs come at a part of the throughput. */
	LOAD("latency under load", "load", "loaded", "load_s", "load_jobs"),

	/** Jobs are pushed one at a time to an id that has many payloads. */
	HOT("push to the hot id", "hot", "heated", "hot_s", "hot_jobs"),

	/** Nothing is done. */
	SILENCE("silence", "silence", "silent", "", "");

	private final String title;

	private final String start;

	private final String end;

	private final String seconds;

	private final String jobs;

	Phase(String title, String start, String end, String seconds, String jobs) {
		this.title = title;
		this.start = start;
		this.end = end;
		this.seconds = seconds;
		this.jobs = jobs;
	}

	/** The name for people. */
	String title() {
		return this.title;
	}

	/** The mark at which it begins. */
	String start() {
		return this.start;
	}

	/** The mark at which it ends. */
	String end() {
		return this.end;
	}

	/** The result that says how long it took; the time between the marks otherwise. */
	String seconds() {
		return this.seconds;
	}

	/** The result that says how many jobs it handled. */
	String jobs() {
		return this.jobs;
	}

}
