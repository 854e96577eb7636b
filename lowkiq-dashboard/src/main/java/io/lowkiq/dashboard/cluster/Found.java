package io.lowkiq.dashboard.cluster;

import java.util.Optional;

import io.lowkiq.internal.InternalQueue;
import io.lowkiq.internal.LogText;
import org.jspecify.annotations.Nullable;

/**
 * A problem before it is shown.
 *
 * @param kind what it is about
 * @param danger whether jobs do not run, or may be lost
 * @param sentence says it
 * @param at where it is
 */
record Found(Kind kind, boolean danger, String sentence, Place at) {

	ClusterDocuments.Trouble view() {
		return new ClusterDocuments.Trouble(this.kind.name(), this.danger ? ClusterDocuments.DANGER : "warning",
				this.sentence, this.kind.help(), this.at.queue(), this.at.shard(), this.at.id(), this.at.node(),
				this.at.since(), this.at.error());
	}

	/** The worst first. */
	enum Kind {

		FORGOTTEN("redis-came-back-empty"),

		CALLS_FORGOTTEN("redis-has-forgotten-calls"),

		POISON("a-job-ends-nodes"),

		NO_NODES("no-node-runs"),

		REDIS_FULL("redis-is-full"),

		OUTBOX_STOPPED("the-outbox-has-stopped"),

		SOURCE_STOPPED("a-source-has-stopped"),

		FOREIGN_QUEUE("two-applications-one-queue"),

		NEWER_SHARDS("a-shard-of-a-newer-version"),

		UNOWNED_SHARDS("no-node-serves-a-queue"),

		UNSERVED_QUEUE("no-node-serves-a-queue"),

		THREADS_BUSY("the-lag-grows"),

		OVERDUE("the-lag-grows"),

		LEASE_LOST("runs-that-lost-their-lease"),

		REDIS_NEARLY_FULL("redis-is-full"),

		EVICTION("redis-may-delete-jobs"),

		NODE_ENDED("a-node-died"),

		SHARED_QUEUE("two-applications-one-queue"),

		FOLLOW_UPS_WAIT("follow-ups-wait"),

		ERROR_BURST("most-runs-fail"),

		OUTBOX_WAITS("a-part-of-the-outbox-waits"),

		OUTBOX_ASIDE("the-outbox-has-put-jobs-aside"),

		SOURCE_WAITS("records-of-a-source-wait"),

		SCHEDULE_STOPPED("a-schedule-doesnt-run"),

		GIVEN_UP("records-were-given-up"),

		DEAD("jobs-are-dead"),

		HELD("jobs-are-on-hold"),

		LONG_RUNNING("a-job-runs-for-long"),

		STALE_REPORT("a-node-doesnt-report"),

		PAUSED("something-is-paused"),

		SCHEDULE_PAUSED("something-is-paused"),

		SOURCE_PAUSED("something-is-paused");

		private final String help;

		Kind(String help) {
			this.help = help;
		}

		/**
		 * The section of docs/operations.md that says what to do.
		 * @return its anchor
		 */
		String help() {
			return this.help;
		}

		/**
		 * The same problem of several queues, schedules or the like, in one sentence;
		 * null if each is listed.
		 * @param queues how many names there are
		 * @param names some of them
		 */
		@Nullable String of(int queues, String names) {
			return switch (this) {
				case POISON -> "%,d jobs were running when two nodes or more ended: %s. They may end others, too."
					.formatted(queues, names);
				case FOREIGN_QUEUE ->
					"%,d queues belong to several applications with different payloads: %s.".formatted(queues, names);
				case SHARED_QUEUE ->
					"%,d queues seem to be served by several applications: %s.".formatted(queues, names);
				case NEWER_SHARDS ->
					"Shards of %,d queues were written by a newer version; this node doesn't serve them: %s."
						.formatted(queues, names);
				case UNOWNED_SHARDS -> "No node owns the shards of %,d queues: %s.".formatted(queues, names);
				case UNSERVED_QUEUE -> "No running node serves %,d queues: %s.".formatted(queues, names);
				case OVERDUE ->
					"Due jobs have been waiting for more than a minute in %,d queues: %s.".formatted(queues, names);
				case ERROR_BURST -> "Most of the last runs have failed in %,d queues: %s.".formatted(queues, names);
				case FOLLOW_UPS_WAIT ->
					"Follow-up jobs wait for %,d queues that no application has declared or served: %s."
						.formatted(queues, names);
				case DEAD -> "Jobs are dead in %,d queues: %s.".formatted(queues, names);
				case HELD ->
					"Jobs are on hold until someone releases them, in %,d queues: %s.".formatted(queues, names);
				case GIVEN_UP ->
					"Records were given up that were to become jobs of %,d queues: %s.".formatted(queues, names);
				case LONG_RUNNING ->
					"%,d jobs have been running for more than 10 minutes: %s.".formatted(queues, names);
				case PAUSED -> "%,d queues are paused: %s.".formatted(queues, names);
				case SCHEDULE_STOPPED -> "%,d schedules don't run: %s.".formatted(queues, names);
				case SCHEDULE_PAUSED -> "%,d schedules are paused: %s.".formatted(queues, names);
				case SOURCE_STOPPED -> "%,d sources of this application have stopped: %s.".formatted(queues, names);
				case SOURCE_WAITS -> "Records of %,d sources of this application wait: %s.".formatted(queues, names);
				case SOURCE_PAUSED -> "%,d sources of this application are paused: %s.".formatted(queues, names);
				default -> null;
			};
		}

	}

	/**
	 * Where a problem is.
	 */
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
