package io.lowkiq;

/**
 * Something that happened to the server of this application. Published as an application
 * event.
 */
public sealed interface LowkiqServerEvent {

	/**
	 * The node's id.
	 * @return the id
	 */
	String node();

	/**
	 * The server has started. Its node joins the others in the background.
	 *
	 * @param node the node's id
	 */
	record Started(String node) implements LowkiqServerEvent {
	}

	/**
	 * The server has stopped normally: none of its threads are running, and it has
	 * released its leases.
	 *
	 * @param node the node's id
	 */
	record Stopped(String node) implements LowkiqServerEvent {
	}

	/**
	 * Payloads of a job went to the morgue after a run on this node, or because they
	 * could not be read. Not published for jobs that crashed several nodes, or that
	 * people moved to the morgue.
	 *
	 * @param node the node's id
	 * @param queue the queue's name
	 * @param id the job's id
	 * @param payloads the number of payloads
	 * @param error the reason, as kept with the job
	 */
	record PayloadsBuried(String node, String queue, String id, int payloads,
			String error) implements LowkiqServerEvent {
	}

	/**
	 * The server has stopped because of an error that no single job caused, such as
	 * running out of memory.
	 *
	 * @param node the node's id
	 * @param error the error
	 */
	record Failed(String node, Throwable error) implements LowkiqServerEvent {
	}

}
