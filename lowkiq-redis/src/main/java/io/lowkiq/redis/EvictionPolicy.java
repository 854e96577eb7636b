package io.lowkiq.redis;

/** The policy by which Redis makes room when its memory is full. */
public final class EvictionPolicy {

	private EvictionPolicy() {
	}

	/**
	 * Jobs have no time to live, so {@code volatile-} policies don't. True if unknown.
	 */
	public static boolean mayEvictJobs(String policy) {
		return !policy.equals("noeviction") && !policy.startsWith("volatile-");
	}

}
