package io.lowkiq.redis;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.lettuce.core.RedisCommandExecutionException;
import io.lowkiq.store.StoreException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class PatientScriptCallerTests {

	private static final String TRY_AGAIN = "TRYAGAIN Multiple keys request during rehashing of slot";

	private final LuaScript script = LuaScript.load("push");

	private final Reply reply = new Reply("push", List.of());

	private final AtomicInteger calls = new AtomicInteger();

	@Test
	void aCallOfAMovingSlotIsMadeAgain() {
		assertThat(run(refusing(2, TRY_AGAIN))).isSameAs(this.reply);
		assertThat(this.calls).hasValue(3);
	}

	@Test
	void aRedirectionThatNobodyFollowedIsOneToo() {
		assertThat(run(refusing(1, "ASK 42 127.0.0.1:7000"))).isSameAs(this.reply);
	}

	@Test
	void callsUnderWayAreMadeAgainToo() {
		List<Reply> replies = new PatientScriptCaller(refusing(2, TRY_AGAIN)).concurrently("pushes", (scripts) -> Stream
			.of(scripts.start(this.script, List.of(), List.of()), scripts.start(this.script, List.of(), List.of()))
			.map(Supplier::get)
			.toList());
		assertThat(replies).containsExactly(this.reply, this.reply);
		assertThat(this.calls).hasValue(4);
	}

	@Test
	void whatMayHaveBeenExecutedIsNotRepeated() {
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> run(refusing(1, "Command timed out")));
		assertThat(this.calls).hasValue(1);
	}

	@Test
	void patienceEnds() {
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> run(refusing(Integer.MAX_VALUE, TRY_AGAIN)))
			.withStackTraceContaining("TRYAGAIN");
		assertThat(this.calls).hasValue(20);
	}

	@Test
	void anInterruptedCallerIsNotKept() {
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> run(refusing(Integer.MAX_VALUE, TRY_AGAIN)));
		assertThat(Thread.interrupted()).isTrue();
		assertThat(this.calls).hasValue(1);
	}

	private Reply run(ScriptCaller caller) {
		return new PatientScriptCaller(caller).run(this.script, List.of(), List.of());
	}

	private ScriptCaller refusing(int times, String message) {
		return (script, keys, arguments) -> {
			if (this.calls.incrementAndGet() <= times) {
				throw new StoreException("Refused", new RedisCommandExecutionException(message));
			}
			return this.reply;
		};
	}

}
