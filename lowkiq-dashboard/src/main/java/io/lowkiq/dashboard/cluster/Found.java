package io.lowkiq.dashboard.cluster;

import org.jspecify.annotations.Nullable;

/**
 * A problem before it is shown.
 *
 * @param kind what it is about
 * @param danger whether jobs are not performed, or may be lost
 * @param sentence says it
 * @param at where it is
 */
record Found(Kind kind, boolean danger, String sentence, Place at) {

	ClusterDocuments.Trouble view() {
		return new ClusterDocuments.Trouble(this.kind.name(), this.danger ? ClusterDocuments.DANGER : "warning",
				this.sentence, this.at.queue(), this.at.shard(), this.at.id(), this.at.node(), this.at.since());
	}

	/** The worst first. */
	enum Kind {

		FORGOTTEN, POISON, NO_NODES, REDIS_FULL, OUTBOX_STOPPED, SOURCE_STOPPED, FOREIGN_QUEUE, NEWER_SHARDS,
		UNOWNED_SHARDS, UNSERVED_QUEUE, THREADS_BUSY, OVERDUE, LEASE_LOST, REDIS_NEARLY_FULL, EVICTION, NODE_ENDED,
		SHARED_QUEUE, FOLLOW_UPS_WAIT, ERROR_BURST, OUTBOX_WAITS, OUTBOX_ASIDE, SOURCE_WAITS, SCHEDULE_STOPPED,
		GIVEN_UP, DEAD, HELD, LONG_RUNNING, STALE_REPORT, PAUSED, SCHEDULE_PAUSED, SOURCE_PAUSED;

		/**
		 * The same problem of several queues, schedules or the like, in one sentence;
		 * null if each is listed.
		 * @param queues how many there are
		 * @param names some of them
		 */
		@Nullable String of(int queues, String names) {
			return switch (this) {
				case POISON -> "%,d jobs were running when two nodes or more ended: %s. They may end others, too."
					.formatted(queues, names);
				case FOREIGN_QUEUE -> "%,d queues are those of several applications with different payloads: %s."
					.formatted(queues, names);
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
					"What follows other jobs waits for %,d queues that no application has declared or served: %s."
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
			@Nullable Long since) {

		static final Place EVERYWHERE = new Place(null, null, null, null, null);

		static Place queue(String queue, @Nullable Long since) {
			return new Place(queue, null, null, null, since);
		}

		static Place node(String node, long since) {
			return new Place(null, null, null, node, since);
		}

		/** A schedule, or a source. */
		static Place named(String queue, String id) {
			return new Place(queue, null, id, null, null);
		}

		/** The name of the place in a sentence about several of its kind. */
		@Nullable String name() {
			return (this.id != null) ? this.id : this.queue;
		}

	}

}
