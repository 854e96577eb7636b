package io.lowkiq.reliability.model;

/**
 * How large the world of the model is, and how much goes wrong in it. What is not bounded
 * here can happen any number of times: a node stands still while time passes, a heartbeat
 * is late or lost, a session ends, a node releases the shard.
 *
 * @param nodes the number of nodes
 * @param payloads the number of payloads that are pushed, all of one id
 * @param crashes how often a node is killed
 * @param timeouts how often a call is given up: lost, or applied later
 * @param repeats how often the client library sends a call again that was applied
 * @param slowHeartbeats whether time may pass while a heartbeat is under way, and its
 * answer may be lost. Without that it is answered at once or not sent; a slow one only
 * gives a node less time
 * @param timePasses whether time passes, so that sessions end
 */
record Bounds(int nodes, int payloads, int crashes, int timeouts, int repeats, boolean slowHeartbeats,
		boolean timePasses) {

	Bounds(int nodes, int payloads, int crashes, int timeouts, int repeats, boolean slowHeartbeats) {
		this(nodes, payloads, crashes, timeouts, repeats, slowHeartbeats, true);
	}

}
