package io.lowkiq.redis.call;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import io.lettuce.core.RedisCommandExecutionException;
import io.lowkiq.StoreException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Tests of {@link RetryingScriptCaller}. */
class RetryingScriptCallerTests {

	private static final String TRY_AGAIN = "TRYAGAIN Multiple keys request during rehashing of slot";

	private final LuaScript script = LuaScript.load("enqueue", "enqueue");

	private final Reply reply = new Reply("enqueue", List.of());

	private final AtomicInteger calls = new AtomicInteger();

	@ParameterizedTest
	@ValueSource(strings = { TRY_AGAIN, "ASK 42 127.0.0.1:7000", "CLUSTERDOWN Hash slot not served",
			"ERR Script attempted to access a non local key in a cluster node" })
	void callThatWasNotExecutedIsRepeated(String answer) {
		assertThat(run(refusing(2, answer))).isSameAs(this.reply);
		assertThat(this.calls).hasValue(3);
	}

	@ParameterizedTest
	@ValueSource(strings = { "Command timed out", "OOM command not allowed", "WRONGTYPE Operation against a key" })
	void otherCallsAreNotRepeated(String answer) {
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> run(refusing(1, answer)));
		assertThat(this.calls).hasValue(1);
	}

	@Test
	void patienceEnds() {
		assertThatExceptionOfType(StoreException.class)
			.isThrownBy(() -> run(refusing(Integer.MAX_VALUE, TRY_AGAIN), Duration.ofMillis(1)))
			.withStackTraceContaining("TRYAGAIN");
		assertThat(this.calls).hasValueBetween(1, 2);
	}

	@Test
	void interruptedCallerIsNotKept() {
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> run(refusing(Integer.MAX_VALUE, TRY_AGAIN)));
		assertThat(Thread.interrupted()).isTrue();
		assertThat(this.calls).hasValue(1);
	}

	private Reply run(ScriptCaller caller) {
		return run(caller, Duration.ofMinutes(1));
	}

	private Reply run(ScriptCaller caller, Duration patience) {
		return new RetryingScriptCaller(caller, (pause) -> Thread.sleep(pause.toMillis()), patience).run(this.script,
				new byte[0][], new byte[0][]);
	}

	private ScriptCaller refusing(int times, String message) {
		return (script, keys, arguments) -> {
			boolean refuses = this.calls.incrementAndGet() <= times;
			return (Supplier<Reply>) () -> {
				if (refuses) {
					throw new StoreException("Refused", new RedisCommandExecutionException(message));
				}
				return this.reply;
			};
		};
	}

}
