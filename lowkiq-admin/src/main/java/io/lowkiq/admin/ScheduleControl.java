package io.lowkiq.admin;

import java.util.List;

/**
 * Shows and controls schedules. A bean of this type is what {@link LowkiqAdmin} uses.
 * Thread-safe.
 */
public interface ScheduleControl {

	/**
	 * The schedules.
	 * @return the schedules, by queue and id
	 * @throws io.lowkiq.StoreException if the store can't be reached
	 */
	List<ScheduleStatus> all();

	/**
	 * Enqueues a job of a schedule for this moment.
	 * @param queue the queue of its jobs
	 * @param id its id
	 * @throws IllegalArgumentException if there is no such schedule
	 * @throws IllegalStateException if this application doesn't have the worker of the
	 * queue
	 */
	void runNow(String queue, String id);

	/**
	 * Pauses a schedule.
	 * @param queue the queue of its jobs
	 * @param id its id
	 * @throws IllegalArgumentException if there is no such schedule
	 * @throws IllegalStateException if its time has come at this moment
	 */
	void pause(String queue, String id);

	/**
	 * Resumes a schedule. Times that have passed meanwhile give no job.
	 * @param queue the queue of its jobs
	 * @param id its id
	 * @throws IllegalArgumentException if there is no such schedule
	 */
	void resume(String queue, String id);

}
