package io.lowkiq.redis.call;

import java.time.Duration;
import java.util.function.Supplier;

import io.lowkiq.StoreException;

/** Calls scripts again while their slot moves: nothing was executed. Thread-safe. */
public final class RetryingScriptCaller implements ScriptCaller {

	private static final Duration FIRST_PAUSE = Duration.ofMillis(5);

	private static final Duration LONGEST_PAUSE = Duration.ofMillis(100);

	private final ScriptCaller caller;

	private final Pause pauses;

	private final Duration patience;

	/** Lets the calling thread wait. */
	@FunctionalInterface
	public interface Pause {

		void pause(Duration pause) throws InterruptedException;

	}

	public RetryingScriptCaller(ScriptCaller caller, Pause pauses, Duration patience) {
		this.caller = caller;
		this.pauses = pauses;
		this.patience = patience;
	}

	@Override
	public Supplier<Reply> begin(LuaScript script, byte[][] keys, byte[][] arguments) {
		Supplier<Reply> first = this.caller.begin(script, keys, arguments);
		return () -> {
			Supplier<Reply> attempt = first;
			Duration paused = Duration.ZERO;
			for (Duration pause = FIRST_PAUSE;; pause = longer(pause)) {
				try {
					return attempt.get();
				}
				catch (StoreException ex) {
					if (!RedisProblem.isOfMovingSlot(ex) || paused.compareTo(this.patience) >= 0) {
						throw ex;
					}
					pause(pause, ex);
				}
				paused = paused.plus(pause);
				attempt = this.caller.begin(script, keys, arguments);
			}
		};
	}

	private static Duration longer(Duration pause) {
		Duration twice = pause.multipliedBy(2);
		return (twice.compareTo(LONGEST_PAUSE) < 0) ? twice : LONGEST_PAUSE;
	}

	private void pause(Duration pause, StoreException problem) {
		try {
			this.pauses.pause(pause);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw problem;
		}
	}

}
