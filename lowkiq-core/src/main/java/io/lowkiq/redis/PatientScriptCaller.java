package io.lowkiq.redis;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

import io.lowkiq.store.StoreException;

/**
 * Calls scripts again that were refused because the slot of their keys is moving: nothing
 * was executed then. Gives up after about a second. For callers that have nothing else to
 * do meanwhile. Thread-safe.
 */
final class PatientScriptCaller implements ScriptCaller {

	private static final int MOST_TRIES = 20;

	private static final Duration PAUSE = Duration.ofMillis(50);

	private final ScriptCaller caller;

	PatientScriptCaller(ScriptCaller caller) {
		this.caller = caller;
	}

	@Override
	public Reply run(LuaScript script, List<byte[]> keys, List<byte[]> arguments) {
		for (int tries = 1;; tries++) {
			try {
				return this.caller.run(script, keys, arguments);
			}
			catch (StoreException ex) {
				if (tries == MOST_TRIES || !isOfMovingSlot(ex) || !pause()) {
					throw ex;
				}
			}
		}
	}

	@Override
	public <T> T concurrently(String what, Function<Starter, T> calls) {
		return this.caller.concurrently(what, (starter) -> calls.apply((script, keys, arguments) -> {
			Supplier<Reply> reply = starter.start(script, keys, arguments);
			return () -> {
				try {
					return reply.get();
				}
				catch (RuntimeException ex) {
					if (!isOfMovingSlot(ex)) {
						throw ex;
					}
					return run(script, keys, arguments);
				}
			};
		}));
	}

	/** ASK comes where the client library doesn't follow it. */
	private static boolean isOfMovingSlot(RuntimeException exception) {
		return ScriptRunner.anyMessage(exception,
				(message) -> message.startsWith("TRYAGAIN ") || message.startsWith("ASK "));
	}

	private static boolean pause() {
		try {
			Thread.sleep(PAUSE.toMillis());
			return true;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

}
