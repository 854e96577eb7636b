package io.lowkiq.redis.call;

import java.time.Duration;
import java.util.function.Supplier;

import io.lowkiq.store.StoreException;

/**
 * Calls scripts again that Redis Cluster refused because it moves the slot of their keys,
 * or has no master for it: nothing was executed then. For callers that have nothing else
 * to do meanwhile. Thread-safe.
 */
public final class RetryingScriptCaller implements ScriptCaller {

	private static final Duration FIRST_PAUSE = Duration.ofMillis(5);

	private static final Duration LONGEST_PAUSE = Duration.ofMillis(100);

	private final ScriptCaller caller;

	private final Duration patience;

	/**
	 * A caller with patience.
	 * @param caller makes the calls
	 * @param patience how long a call is repeated
	 */
	public RetryingScriptCaller(ScriptCaller caller, Duration patience) {
		this.caller = caller;
		this.patience = patience;
	}

	@Override
	public Supplier<Reply> begin(LuaScript script, byte[][] keys, byte[][] arguments) {
		Supplier<Reply> first = this.caller.begin(script, keys, arguments);
		long start = System.nanoTime();
		return () -> {
			Supplier<Reply> attempt = first;
			for (Duration pause = FIRST_PAUSE;; pause = longer(pause)) {
				try {
					return attempt.get();
				}
				catch (StoreException ex) {
					if (!RedisProblem.isOfMovingSlot(ex) || System.nanoTime() - start > this.patience.toNanos()) {
						throw ex;
					}
					pause(pause, ex);
				}
				attempt = this.caller.begin(script, keys, arguments);
			}
		};
	}

	private static Duration longer(Duration pause) {
		Duration twice = pause.multipliedBy(2);
		return (twice.compareTo(LONGEST_PAUSE) < 0) ? twice : LONGEST_PAUSE;
	}

	private static void pause(Duration pause, StoreException problem) {
		try {
			Thread.sleep(pause.toMillis());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw problem;
		}
	}

}
