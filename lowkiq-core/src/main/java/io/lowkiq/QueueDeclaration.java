package io.lowkiq;

/**
 * Declares how an id becomes a shard in a queue, for instance one to which an application
 * enqueues without having its worker. The queue is recorded with the first job, unless a
 * server has recorded it already. Define a bean of this type, or set
 * {@code lowkiq.queues.<queue>.*}. It must be the same as at the queue's worker.
 *
 * @param queue the queue's name
 * @param shards the number of shards, 1 to {@value RegisteredWorker#MAX_SHARDS}
 * @param oneShardPerGroup the separator of the groups if each belongs to one shard; else
 * empty
 */
public record QueueDeclaration(String queue, int shards, String oneShardPerGroup) {

	public QueueDeclaration {
		Ids.checkQueue(queue);
		RegisteredWorker.Settings.check(queue, "shards", shards, 1, RegisteredWorker.MAX_SHARDS);
		RegisteredWorker.Settings.check(queue, "the length of one-shard-per-group", oneShardPerGroup.length(), 0,
				GroupPolicy.MAX_SEPARATOR);
	}

	/**
	 * A queue whose ids are spread over all shards.
	 * @param queue the queue's name
	 * @param shards the number of shards
	 */
	public QueueDeclaration(String queue, int shards) {
		this(queue, shards, "");
	}

	/** The layout, for messages. */
	@Override
	public String toString() {
		return "%s shards".formatted(this.shards) + (this.oneShardPerGroup.isEmpty() ? ""
				: " and one-shard-per-group with the separator '%s'".formatted(this.oneShardPerGroup));
	}

	/** The properties of the queue's worker that make this layout. */
	String settings() {
		String property = "lowkiq.workers.%s.".formatted(this.queue);
		String groups = this.oneShardPerGroup.isEmpty() ? "one-shard-per-group=false"
				: "one-shard-per-group=true, %sgroup.separator='%s'".formatted(property, this.oneShardPerGroup);
		return "%1$sshards=%2$s, %1$s%3$s".formatted(property, this.shards, groups);
	}

}
