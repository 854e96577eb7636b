package io.lowkiq.autoconfigure.endpoint;

import java.time.Instant;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

import io.lowkiq.admin.ScheduleStatus;
import io.lowkiq.admin.SourceStatus;
import io.lowkiq.engine.ServerStatus;
import io.lowkiq.store.inspection.QueueStatistics;

/**
 * The answer of the endpoint {@code lowkiq}.
 *
 * @param node this node
 * @param members the living nodes; null if the store can't be reached
 * @param queues the recorded queues; null if the store can't be reached
 * @param schedules all schedules; null if the store can't be reached
 * @param sources the sources of this application
 * @param storeProblem why the store could not be read; null if it could
 */
public record LowkiqDescriptor(Node node, @Nullable List<Member> members, @Nullable List<Queue> queues,
		@Nullable List<ScheduleStatus> schedules, List<SourceStatus> sources,
		@Nullable String storeProblem) implements OperationResponseBody {

	/**
	 * This node.
	 *
	 * @param id the node's id
	 * @param session the node's session; null while it has none
	 * @param state the state of the server
	 * @param startedAt when the server was started; null if it never was
	 * @param failure why the server failed; null unless it did
	 * @param storeProblem what the store answered last if it can't be reached; null if
	 * all is well
	 * @param refusedQueues queues that it can't serve
	 * @param stoppedQueues queues that are stopped on this node
	 * @param foreignQueues queues that it leaves to another application, with that
	 * application
	 * @param threads the threads that perform jobs
	 * @param shards the shards that it serves
	 */
	public record Node(String id, @Nullable String session, ServerStatus.State state, @Nullable Instant startedAt,
			@Nullable String failure, @Nullable String storeProblem, List<ServerStatus.RefusedQueue> refusedQueues,
			List<String> stoppedQueues, Map<String, String> foreignQueues, List<PerformThread> threads,
			List<OwnedShard> shards) {

		static Node of(ServerStatus status) {
			Throwable failure = status.failure();
			return new Node(status.node(), status.session(), status.state(), status.startedAt(),
					(failure != null) ? failure.toString() : null, status.storeProblem(), status.refusedQueues(),
					status.stoppedQueues(), status.foreignQueues(),
					status.threads().stream().map(PerformThread::of).toList(),
					status.shards().stream().map(OwnedShard::of).toList());
		}

	}

	/**
	 * A thread that performs jobs.
	 *
	 * @param name the thread's name
	 * @param queue the queue whose jobs it performs; null if it waits
	 * @param shard the index of the shard; null if it waits
	 * @param ids the ids that it performs
	 * @param since since when
	 */
	public record PerformThread(String name, @Nullable String queue, @Nullable Integer shard, List<String> ids,
			Instant since) {

		static PerformThread of(ServerStatus.ThreadStatus thread) {
			io.lowkiq.store.Shard shard = thread.shard();
			return new PerformThread(thread.name(), (shard != null) ? shard.queue() : null,
					(shard != null) ? shard.index() : null, thread.ids(), thread.since());
		}

	}

	/**
	 * A shard that this node serves.
	 *
	 * @param queue the queue's name
	 * @param shard the index of the shard
	 * @param held whether this node holds it
	 * @param owner the session that holds it as far as this node knows; null if none
	 * @param epoch the epoch of this node's lease; 0 if not held
	 * @param since since when it has been held, or not held by anybody alive
	 */
	public record OwnedShard(String queue, int shard, boolean held, @Nullable String owner, long epoch, Instant since) {

		static OwnedShard of(ServerStatus.ShardStatus status) {
			return new OwnedShard(status.shard().queue(), status.shard().index(), status.held(), status.holder(),
					status.epoch(), status.since());
		}

	}

	/**
	 * A living node.
	 *
	 * @param node the node's id
	 * @param session the node's session
	 * @param startedAt when it was started
	 * @param queues the queues that it serves
	 */
	public record Member(String node, String session, Instant startedAt, List<String> queues) {

		static Member of(io.lowkiq.store.Member member) {
			return new Member(member.info().node(), member.session(), Instant.ofEpochMilli(member.info().startedAt()),
					member.info().queues().stream().sorted().toList());
		}

	}

	/**
	 * A queue.
	 *
	 * @param name the queue's name
	 * @param shards the number of shards
	 * @param fresh queued jobs that have not failed
	 * @param retry queued jobs that have failed
	 * @param busy jobs being performed
	 * @param held queued jobs that wait for a person
	 * @param dead ids in the morgue
	 * @param lag how long the oldest due job has been due, in seconds
	 * @param processed jobs done, ever
	 * @param failed failures, ever
	 * @param unowned shards without a living owner
	 * @param paused paused shards
	 */
	public record Queue(String name, int shards, long fresh, long retry, long busy, long held, long dead, double lag,
			long processed, long failed, int unowned, int paused) {

		static Queue of(QueueStatistics.QueueCounts counts) {
			return new Queue(counts.queue(), counts.shards(), counts.fresh(), counts.retry(), counts.busy(),
					counts.held(), counts.dead(), counts.lag() / 1000.0, counts.processed(), counts.failed(),
					counts.unowned(), counts.paused());
		}

	}

}
