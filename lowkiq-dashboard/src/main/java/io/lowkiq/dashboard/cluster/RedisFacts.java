package io.lowkiq.dashboard.cluster;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Facts about Redis, for people.
 *
 * @param url where it is, without user and password
 * @param servers the servers, one or those of the cluster
 */
public record RedisFacts(String url, List<Server> servers) {

	/**
	 * A Redis server.
	 *
	 * @param name host and port in a cluster; null for the only one
	 * @param uptime in seconds
	 * @param startedAt when it was started, in milliseconds since 1970 by its own clock;
	 * up to a second late, 0 if unknown
	 * @param memory what is used, in bytes, as are peak and maxMemory
	 * @param maxMemory 0 for none
	 * @param canEvictJobs whether jobs can be lost at the limit
	 * @param refusesWrites whether it has lately refused commands because it is full
	 */
	public record Server(@Nullable String name, String version, long uptime, long startedAt, long clients, long memory,
			long peak, long maxMemory, String evictionPolicy, boolean canEvictJobs, boolean refusesWrites) {

		/** Whether commands that need memory are refused. */
		boolean isFull() {
			return this.maxMemory > 0 && !this.canEvictJobs && (this.refusesWrites || this.memory >= this.maxMemory);
		}

		/** Whether more than 80 % of the memory is used. */
		boolean isNearlyFull() {
			return this.maxMemory > 0 && !this.canEvictJobs && this.memory * 5 > this.maxMemory * 4;
		}

	}

}
