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
	 * The server has started, before it performs the first job.
	 *
	 * @param node the node's id
	 */
	record Started(String node) implements LowkiqServerEvent {
	}

	/**
	 * The server has stopped in order: no thread of it runs and its leases are given
	 * back.
	 *
	 * @param node the node's id
	 */
	record Stopped(String node) implements LowkiqServerEvent {
	}

	/**
	 * The server has stopped because of an error that no job can be blamed for, such as
	 * running out of memory.
	 *
	 * @param node the node's id
	 * @param error the error
	 */
	record Failed(String node, Throwable error) implements LowkiqServerEvent {
	}

}
