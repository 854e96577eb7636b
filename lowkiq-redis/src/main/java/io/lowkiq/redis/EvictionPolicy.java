package io.lowkiq.redis;

/** The policy by which Redis makes room when its memory is full. */
public final class EvictionPolicy {

	private EvictionPolicy() {
	}

	/**
	 * Whether Redis may evict jobs. Their keys have no time to live, so a policy that
	 * evicts only keys with one refuses jobs like {@code noeviction}.
	 * @return true also if the policy isn't known
	 */
	public static boolean mayEvictJobs(String policy) {
		return !policy.equals("noeviction") && !policy.startsWith("volatile-");
	}

}
