package io.lowkiq.admin;

import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

import io.lowkiq.InvalidJobException;
import io.lowkiq.InvalidQueueException;
import io.lowkiq.PayloadException;
import io.lowkiq.StoreException;
import io.lowkiq.UnknownQueueException;
import io.lowkiq.store.GroupOverride;
import io.lowkiq.store.inspection.EditResult;
import io.lowkiq.store.inspection.Erasure;
import io.lowkiq.store.inspection.JobQuery;
import io.lowkiq.store.inspection.JobSelection;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.job.StoredFollowUp;
import io.lowkiq.store.node.Forgotten;

/**
 * The tools of operators, in code: find out what order 42 is waiting for, and remove it.
 * The dashboard and the Actuator endpoint use it, too. Thread-safe.
 * <p>
 * It asks nobody for permission: who may call it is up to the application. Every changing
 * call is logged and published as an {@link AdminEvent}, once, with who made it.
 * <p>
 * All methods throw {@link InvalidQueueException} or {@link InvalidJobException} for what
 * can't be the name of a queue or the id of a job, {@link UnknownQueueException} for a
 * queue that is not recorded, and {@link StoreException} if the store is out of reach.
 * After a {@link StoreException} a change may have been made; each can be repeated.
 * <p>
 * An id can have up to three jobs: a busy one, a queued one behind it, and a dead one.
 */
public interface LowkiqAdmin {

	/**
	 * Returns an admin that acts on behalf of someone else.
	 * @param user who, for the log and the events; without this, who is signed in to
	 * Spring Security on the calling thread, else {@value AdminEvent#APPLICATION}
	 * @return an admin that can be kept
	 */
	LowkiqAdmin as(String user);

	/**
	 * Looks an id up. A job that is not in its queue may still wait as a follow-up of
	 * another one: up to 1,000 follow-ups are read to find it, at most once in five
	 * seconds for all callers together.
	 * @param queue the queue's name
	 * @param id the id
	 * @param payloads the maximum number of payloads to read of each of its jobs, 0 to
	 * 1,000
	 * @return what is known of it; without jobs if it is not known
	 */
	JobReport find(String queue, String id, int payloads);

	/**
	 * Looks an id up, with up to 10 payloads of each of its jobs.
	 * @param queue the queue's name
	 * @param id the id
	 * @return what is known of it
	 */
	default JobReport find(String queue, String id) {
		return find(queue, id, 10);
	}

	/**
	 * Says in a sentence or two why an id is not being performed right now, or that it
	 * is, as the dashboard does.
	 * @param queue the queue's name
	 * @param id the id
	 * @return the sentence
	 */
	default String status(String queue, String id) {
		return find(queue, id, 0).status().sentence();
	}

	/**
	 * Reads the payloads of a job that was looked up.
	 * @param <P> their type
	 * @param job the job
	 * @param type their type
	 * @return the payloads in the order in which a worker gets them
	 * @throws PayloadException if one can't be read
	 */
	<P> List<P> payloads(JobView job, Class<P> type);

	/**
	 * Does something to jobs or to a queue. What concerns all jobs of a kind works in
	 * steps of up to 1,000, on what is there when it begins, and can be repeated.
	 * @param queue the queue's name
	 * @param action what to do
	 * @param ids the jobs, if the action is a {@link AdminAction#isNamed() named} one;
	 * else none
	 * @param progress called after each step of an action without names
	 * @return what was done
	 * @throws IllegalArgumentException if the action needs ids, or takes none
	 * @throws QueueNotRemovableException if a queue is to be removed that is in use
	 */
	ActionResult act(String queue, AdminAction action, Collection<String> ids, ActionProgress progress);

	/**
	 * Does something to all jobs of a selection. It works in steps of up to 200, on what
	 * is there when it begins, and can be repeated. A job that leaves the selection after
	 * it was read may still be changed.
	 * @param queue the queue's name
	 * @param action what to do, a {@link AdminAction#isNamed() named} action
	 * @param selection the jobs
	 * @param progress called after each step
	 * @return what was done
	 * @throws IllegalArgumentException if the action doesn't
	 * {@link AdminAction#takes(JobQuery.JobList) take} jobs of the list
	 */
	ActionResult act(String queue, AdminAction action, JobSelection selection, ActionProgress progress);

	/**
	 * Does something to one job.
	 * @param queue the queue's name
	 * @param action what to do, a {@link AdminAction#isNamed() named} action
	 * @param id the job's id
	 * @return whether something has changed
	 * @throws IllegalArgumentException if the action takes no ids
	 */
	default boolean act(String queue, AdminAction action, String id) {
		return act(queue, action, List.of(id), ActionProgress.NONE).changed() > 0;
	}

	/**
	 * Makes a delayed, failed or restored job due now. One that is due already, on hold,
	 * or behind its busy id is left alone.
	 * @param queue the queue's name
	 * @param id the job's id
	 * @return whether it was made due
	 */
	default boolean performNow(String queue, String id) {
		return act(queue, AdminAction.PERFORM_NOW, id);
	}

	/**
	 * Puts the queued job of an id on hold: it is not performed until it is released, and
	 * what is enqueued for the id waits with it. A run goes on; if it fails, is given
	 * back, or its node dies, its payloads wait, too, unless the shard's owner is then of
	 * an older version. The job is no longer a suspect.
	 * @param queue the queue's name
	 * @param id the job's id
	 * @return whether something has changed; not if nothing is queued or busy for the id,
	 * or that is on hold already
	 */
	default boolean hold(String queue, String id) {
		return act(queue, AdminAction.HOLD, id);
	}

	/**
	 * Lets a job on hold be performed now, with a retryCount of -1. A busy one that was
	 * to be put on hold when it comes back is not any more.
	 * @param queue the queue's name
	 * @param id the job's id
	 * @return whether it was on hold, or was to be
	 */
	default boolean release(String queue, String id) {
		return act(queue, AdminAction.RELEASE, id);
	}

	/**
	 * Deletes the queued job of an id, whatever it waits for. Its running perform and its
	 * dead job are left alone. What this application's outbox keeps of it is dropped.
	 * @param queue the queue's name
	 * @param id the job's id
	 * @return whether there was one
	 */
	default boolean delete(String queue, String id) {
		return act(queue, AdminAction.DELETE, id);
	}

	/**
	 * Moves the queued job of an id to the morgue, with all its payloads and its error.
	 * What this application's outbox keeps of it is dropped.
	 * @param queue the queue's name
	 * @param id the job's id
	 * @return whether there was one
	 */
	default boolean kill(String queue, String id) {
		return act(queue, AdminAction.KILL, id);
	}

	/**
	 * Enqueues a dead job again: merged with what is queued, due now, with a retryCount
	 * of -1.
	 * @param queue the queue's name
	 * @param id the job's id
	 * @return whether it was dead
	 */
	default boolean reEnqueue(String queue, String id) {
		return act(queue, AdminAction.RE_ENQUEUE, id);
	}

	/**
	 * Deletes a dead job.
	 * @param queue the queue's name
	 * @param id the job's id
	 * @return whether it was dead
	 */
	default boolean deleteDead(String queue, String id) {
		return act(queue, AdminAction.DELETE_DEAD, id);
	}

	/**
	 * Replaces the first payload of a job on hold, which keeps its score and its next
	 * step.
	 * @param queue the queue's name
	 * @param id the job's id
	 * @param known the bytes of the first payload as the caller has seen it
	 * @param replacement the bytes that take its place
	 * @return whether it was replaced, or why not
	 */
	EditResult editHeld(String queue, String id, byte[] known, byte[] replacement);

	/**
	 * Replaces the first payload of a dead job, which keeps its score and its next step.
	 * The job stays dead: {@link #reEnqueue} enqueues it again.
	 * @param queue the queue's name
	 * @param id the job's id
	 * @param known the bytes of the first payload as the caller has seen it
	 * @param replacement the bytes that take its place
	 * @return whether it was replaced, or why not
	 */
	EditResult editDead(String queue, String id, byte[] known, byte[] replacement);

	/**
	 * Erases all that a queue keeps of an id: what is queued, delayed, on hold and dead,
	 * with errors and traced producers, and the rows of this application's outbox. A
	 * perform that runs can't be stopped; it goes on with the payloads it has got, and
	 * the result says so. If it fails, or its node dies, they don't come back.
	 * <p>
	 * What is enqueued afterwards is a new job. The id itself stays in the log, in the
	 * {@link AdminEvent}, and possibly in Redis' list of ready ids until its place comes
	 * up.
	 * @param queue the queue's name
	 * @param id the id
	 * @return what was found
	 */
	Erasure erase(String queue, String id);

	/**
	 * Erases an id in all queues, as {@link #erase(String, String)} does in one, also
	 * what waits for queues that are not recorded. The times of schedules stay. It works
	 * queue by queue, and can be repeated. It is logged and published once for each queue
	 * in which something was found.
	 * @param id the id
	 * @return what was found, by the name of the queue; empty if the id is not known
	 * @throws StoreException if it failed in some queues, which the message names. In the
	 * others the id is erased
	 */
	Map<String, Erasure> erase(String id);

	/**
	 * Counts what all queues keep of the ids that begin with a prefix, such as those of a
	 * customer who leaves. Reads the ids of all jobs, so the counts are those of a busy
	 * queue: a job that moves between two steps may be left out.
	 * @param prefix what the ids begin with, such as {@code acme:}
	 * @param progress called after each step of 1,000 jobs
	 * @return what there is, by the name of the queue
	 */
	SortedMap<String, PrefixContents> findPrefix(String prefix, ActionProgress progress);

	/**
	 * Erases all that all queues keep of the ids that begin with a prefix, as
	 * {@link #erase(String)} does, and what is set for groups whose ids all begin with
	 * it. Groups are known for queues with one shard for each group, and for those that a
	 * node serves. It works in steps of up to 200 jobs, on what is there when it begins,
	 * and can be repeated. The times of schedules stay. It is logged and published once
	 * for each queue in which something was found.
	 * @param prefix what the ids begin with, such as {@code acme:}
	 * @param progress called after each step
	 * @return the number of jobs, follow-ups, groups and rows of the outbox, by the name
	 * of the queue
	 * @throws StoreException if it failed in some queues, which the message names. In the
	 * others everything is erased
	 */
	SortedMap<String, Long> erasePrefix(String prefix, ActionProgress progress);

	/**
	 * Pauses a queue: jobs are enqueued, but none is fetched; what is busy is finished.
	 * @param queue the queue's name
	 */
	default void pause(String queue) {
		act(queue, AdminAction.PAUSE, List.of(), ActionProgress.NONE);
	}

	/**
	 * Resumes a queue.
	 * @param queue the queue's name
	 */
	default void resume(String queue) {
		act(queue, AdminAction.RESUME, List.of(), ActionProgress.NONE);
	}

	/**
	 * Checks all queued jobs of a queue, in steps, and repairs stranded ones, which
	 * nobody would find because they are not where their entries say: after data in Redis
	 * were changed by hand, for instance. Each shard with such jobs is logged. May run
	 * while the queue is served.
	 * @param queue the queue's name
	 * @return how many jobs were repaired
	 */
	default long repair(String queue) {
		return act(queue, AdminAction.REPAIR, List.of(), ActionProgress.NONE).changed();
	}

	/**
	 * Lists the queues for which follow-ups of completed jobs wait. Most of these are
	 * enqueued within milliseconds; those for a queue that is not recorded wait until it
	 * is. Looks into all shards in which something waits, and counts at most 1,000 in
	 * each.
	 * @return the queues, and whether all were counted
	 */
	FollowUpQueues followUpQueues();

	/**
	 * Finds follow-ups of completed jobs that wait to be enqueued into a queue, which may
	 * not be recorded. Looks into all shards in which something waits.
	 * @param queue the queue's name
	 * @param limit the maximum number
	 * @return the follow-ups
	 */
	List<StoredFollowUp> followUps(String queue, int limit);

	/**
	 * Drops what waits to be enqueued into a queue, which may not be recorded. One that
	 * is being enqueued just now may reach its queue all the same.
	 * @param queue the queue's name
	 * @return how many payloads were dropped
	 */
	long dropFollowUps(String queue);

	/**
	 * Enqueues what waits to be enqueued into a queue into another one, with the same ids
	 * and in the same order. If it fails halfway, repeat it: none is enqueued twice. But
	 * one that is being enqueued into the first queue just now may reach both.
	 * @param queue the queue's name, which may not be recorded
	 * @param to the other queue, whose worker must be able to read the payloads
	 * @return how many payloads were redirected
	 */
	long redirectFollowUps(String queue, String to);

	/**
	 * Removes a queue that no node serves and that has no jobs, dead ones included, with
	 * its record. Nothing may be on its way from or to it either. While it is being
	 * removed, enqueueing into it fails. A producer that declares the queue, and a node
	 * that serves it, record it again afterwards, with the next generation.
	 * <p>
	 * If the process dies meanwhile, the queue stays closed: call it again.
	 * @param queue the queue's name
	 * @throws QueueNotRemovableException if a living node serves it, or there are jobs in
	 * it, or payloads are on their way from or to it. Nothing has changed
	 */
	default void removeEmptyQueue(String queue) {
		act(queue, AdminAction.REMOVE_EMPTY_QUEUE, List.of(), ActionProgress.NONE);
	}

	/**
	 * Removes a queue that no node serves, as {@link #removeEmptyQueue} does, together
	 * with all its jobs: queued, busy on nodes that are gone, and dead; and with what
	 * follows its completed jobs and has not reached its queue. What waits for it in
	 * other queues stays there: see {@link #followUps}.
	 * @param queue the queue's name
	 * @return how many jobs and follow-ups were deleted with it
	 * @throws QueueNotRemovableException if a living node serves it
	 */
	default long removeQueue(String queue) {
		return act(queue, AdminAction.REMOVE_QUEUE, List.of(), ActionProgress.NONE).changed();
	}

	/**
	 * The acknowledged data that Redis has forgotten in the last hour.
	 * @return the losses of data, the largest first, one of each node; nodes notice them,
	 * so none is known if all nodes were started later
	 * @throws StoreException if the store can't be reached
	 */
	List<Forgotten> forgotten();

	/**
	 * The status of this application's outbox: what it can't send at present.
	 * @param limit the maximum number of jobs to list that were put aside, 0 to 1,000
	 * @return what waits and what was put aside; {@link OutboxStatus#EMPTY} where there
	 * is no outbox
	 */
	OutboxStatus outbox(int limit);

	/**
	 * Returns a job that the outbox has put aside to its place among the others, before
	 * the later ones of its id. If it still can't be sent, it is put aside again.
	 * @param sequence the job's number
	 * @return whether it was there
	 */
	boolean sendUnsent(long sequence);

	/**
	 * Deletes a job that the outbox has put aside. Later ones of its id are sent.
	 * @param sequence the job's number
	 * @return whether it was there
	 */
	boolean dropUnsent(long sequence);

	/**
	 * Sends jobs again that this application's outbox has sent at some time and still
	 * keeps, for instance after Redis was restored from a backup. They run again if they
	 * have run.
	 * @param from the first time, by the clock of the database
	 * @param to the time after the last one. If it is not now, ids with later jobs end
	 * with an older one
	 * @return how many are sent again; 0 if nothing is kept
	 */
	long resendKept(Instant from, Instant to);

	/**
	 * All schedules that are recorded in the store, and those of this application that
	 * are not.
	 * @return the schedules, by queue and id
	 */
	List<ScheduleStatus> schedules();

	/**
	 * Enqueues a job of a schedule for this moment, also while the schedule is paused.
	 * Its times stay as they are.
	 * @param queue the queue of its jobs
	 * @param id the id of the schedule
	 * @throws IllegalArgumentException if there is no such schedule
	 * @throws IllegalStateException if this application doesn't have the worker of the
	 * queue, which makes the payload
	 */
	void runSchedule(String queue, String id);

	/**
	 * Pauses one schedule, on all nodes, until it is resumed. Its next time is on hold in
	 * the queue {@code <queue>.schedules}.
	 * @param queue the queue of its jobs
	 * @param id the id of the schedule
	 * @throws IllegalArgumentException if there is no such schedule
	 * @throws IllegalStateException if its time has come at this moment; try again
	 */
	void pauseSchedule(String queue, String id);

	/**
	 * Resumes a paused schedule. It continues with its next time; those that have passed
	 * meanwhile give no job.
	 * @param queue the queue of its jobs
	 * @param id the id of the schedule
	 * @throws IllegalArgumentException if there is no such schedule
	 */
	void resumeSchedule(String queue, String id);

	/**
	 * The tools for one group of a queue: pause it, limit it, or give it another weight.
	 * @param queue the queue's name
	 * @param group the group: what stands before the first separator of its ids
	 * @return the tools, which can be kept
	 * @throws IllegalArgumentException if no id has such a group
	 * @throws InvalidQueueException also if the nodes that serve the queue have no groups
	 * for it
	 */
	GroupAdmin group(String queue, String group);

	/**
	 * The settings that operators have made for the groups of a queue.
	 * @param queue the queue's name
	 * @return what is set, by group; empty if nothing is
	 */
	SortedMap<String, GroupOverride> groups(String queue);

	/**
	 * Sets the limits and weights of many groups of a queue, such as those of all
	 * customers when an application starts. Groups that are not named, and pauses, stay
	 * as they are. What is set already costs nothing. Nodes are notified once for every
	 * 500 groups. All are checked before the first is set.
	 * @param queue the queue's name
	 * @param limits the limits by group; {@link GroupLimits#NONE} removes what was set
	 * @return the number of groups that were changed
	 * @throws IllegalArgumentException if no id has such a group, or a limit is out of
	 * its range
	 * @throws InvalidQueueException also if a limit needs one shard for each group
	 */
	int limitGroups(String queue, Map<String, GroupLimits> limits);

	/**
	 * The settings of groups of a queue that this process has read, and Redis has
	 * forgotten since, for instance in a failover. They have no effect until they are set
	 * again. A process that was started later doesn't know them.
	 * @param queue the queue's name
	 * @return the parts that nobody has set again, by group; empty if there are none
	 */
	SortedMap<String, GroupOverride> forgottenGroups(String queue);

	/**
	 * Sets the {@link #forgottenGroups} again.
	 * @param queue the queue's name
	 * @return the number of groups that were changed
	 */
	int restoreGroups(String queue);

	/**
	 * The status of this application's sources, such as consumers of Kafka topics.
	 * Sources of other applications, and of other instances, are not among them.
	 * @return the sources; empty if there are none
	 */
	List<SourceStatus> sources();

	/**
	 * Pauses a source of this instance: it keeps its partitions, and reads no records.
	 * Records that were read go on. Lasts until it is resumed, or the application is
	 * restarted.
	 * @param source the source's name
	 * @throws IllegalArgumentException if there is no such source
	 */
	void pauseSource(String source);

	/**
	 * Resumes a source of this instance, and starts it again if it has stopped.
	 * @param source the source's name
	 * @throws IllegalArgumentException if there is no such source
	 */
	void resumeSource(String source);

	/**
	 * Moves a source to another offset: back, to enqueue records again, or forward, to
	 * leave some out. Takes effect before the next poll.
	 * @param source the source's name
	 * @param topic the topic's name
	 * @param partition the partition's number
	 * @param offset the offset of the next record to read, 0 or more
	 * @throws IllegalArgumentException if there is no such source
	 * @throws IllegalStateException if the partition is not assigned to it in this
	 * instance
	 */
	void seekSource(String source, String topic, int partition, long offset);

}
