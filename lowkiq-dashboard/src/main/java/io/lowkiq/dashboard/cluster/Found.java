package io.lowkiq.dashboard.cluster;

import java.util.Locale;
import java.util.Optional;

import io.lowkiq.internal.InternalQueue;
import io.lowkiq.internal.LogText;
import org.jspecify.annotations.Nullable;

/** A problem before it is shown. */
record Found(Kind kind, Severity severity, String sentence, Place at) {

	Found(Kind kind, boolean danger, String sentence, Place at) {
		this(kind, danger ? Severity.DANGER : Severity.WARNING, sentence, at);
	}

	ClusterDocuments.Trouble view() {
		return new ClusterDocuments.Trouble(this.kind.name(), this.severity.name().toLowerCase(Locale.ROOT),
				this.sentence, this.kind.help(), this.at.queue(), this.at.shard(), this.at.id(), this.at.node(),
				this.at.since(), this.at.error());
	}

	/** The worst first. */
	enum Severity {

		/** Jobs do not run, or may be lost. */
		DANGER,

		WARNING,

		/** Somebody wants it so. */
		NOTE

	}

	/** The worst first. */
	enum Kind {

		FORGOTTEN("redis-came-back-empty"),

		CALLS_FORGOTTEN("redis-has-forgotten-calls"),

		POISON("a-job-ends-nodes", "%,d jobs were running when two nodes or more ended: %s. They may end others, too."),

		NO_NODES("no-node-runs"),

		REDIS_FULL("redis-is-full"),

		OUTBOX_STOPPED("the-outbox-has-stopped"),

		SOURCE_STOPPED("a-source-has-stopped", "%,d sources of this application have stopped: %s."),

		FOREIGN_QUEUE("two-applications-one-queue",
				"%,d queues belong to several applications with different payloads: %s."),

		NEWER_SHARDS("a-shard-of-a-newer-version",
				"Shards of %,d queues were written by a newer version; this node doesn't serve them: %s."),

		UNOWNED_SHARDS("no-node-serves-a-queue", "No node owns the shards of %,d queues: %s."),

		UNSERVED_QUEUE("no-node-serves-a-queue", "No running node serves %,d queues: %s."),

		STRANDED_JOBS("no-node-serves-a-queue"),

		THREADS_BUSY("the-lag-grows"),

		OVERDUE("the-lag-grows", "Due jobs have been waiting for more than a minute in %,d queues: %s."),

		LEASE_LOST("runs-that-lost-their-lease"),

		REDIS_NEARLY_FULL("redis-is-full"),

		EVICTION("redis-may-delete-jobs"),

		NODE_ENDED("a-node-died"),

		SHARED_QUEUE("two-applications-one-queue", "%,d queues seem to be served by several applications: %s."),

		FOLLOW_UPS_WAIT("follow-ups-wait",
				"Follow-up jobs wait for %,d queues that no application has declared or served: %s."),

		ERROR_BURST("most-runs-fail", "Most of the last runs have failed in %,d queues: %s."),

		OUTBOX_WAITS("a-part-of-the-outbox-waits"),

		OUTBOX_ASIDE("the-outbox-has-put-jobs-aside"),

		SOURCE_WAITS("records-of-a-source-wait", "Records of %,d sources of this application wait: %s."),

		SCHEDULE_STOPPED("a-schedule-doesnt-run", "%,d schedules don't run: %s."),

		GIVEN_UP("records-were-given-up", "Records were given up that were to become jobs of %,d queues: %s."),

		DEAD("jobs-are-dead", "Jobs are dead in %,d queues: %s."),

		HELD("jobs-are-on-hold", "Jobs are on hold until someone releases them, in %,d queues: %s."),

		LONG_RUNNING("a-job-runs-for-long", "%,d jobs have been running for more than 10 minutes: %s."),

		STALE_REPORT("a-node-doesnt-report"),

		PAUSED("something-is-paused", "%,d queues are paused: %s."),

		GROUPS_PAUSED("something-is-paused"),

		LIMITED("the-lag-grows"),

		SCHEDULE_PAUSED("something-is-paused", "%,d schedules are paused: %s."),

		SOURCE_PAUSED("something-is-paused", "%,d sources of this application are paused: %s.");

		private final String help;

		/** Says it of several; null if each is listed. */
		private final @Nullable String several;

		Kind(String help) {
			this(help, null);
		}

		Kind(String help, @Nullable String several) {
			this.help = help;
			this.several = several;
		}

		/** The section of docs/operations.md that says what to do. */
		String help() {
			return this.help;
		}

		/**
		 * The same problem of several queues, schedules or the like, in one sentence;
		 * null if each is listed.
		 */
		@Nullable String of(int queues, String names) {
			return (this.several != null) ? String.format(Locale.ROOT, this.several, queues, names) : null;
		}

	}

	/** Where a problem is. */
	record Place(@Nullable String queue, @Nullable Integer shard, @Nullable String id, @Nullable String node,
			@Nullable Long since, @Nullable String error) {

		Place(@Nullable String queue, @Nullable Integer shard, @Nullable String id, @Nullable String node,
				@Nullable Long since) {
			this(queue, shard, id, node, since, null);
		}

		static final Place EVERYWHERE = new Place(null, null, null, null, null);

		static Place queue(String queue, @Nullable Long since) {
			return new Place(queue, null, null, null, since);
		}

		/** The dead jobs of a queue that have one kind of error. */
		static Place error(String queue, String error) {
			return new Place(queue, null, null, null, null, error);
		}

		static Place node(String node, long since) {
			return new Place(null, null, null, node, since);
		}

		/** A schedule, or a source. */
		static Place named(String queue, String id) {
			return new Place(queue, null, id, null, null);
		}

		/** The name of the place in a sentence about several of its kind. */
		Optional<String> name() {
			return Optional.ofNullable((this.id != null) ? LogText.of(this.id)
					: (this.queue != null) ? InternalQueue.ownerOf(this.queue) : null);
		}

	}

}
