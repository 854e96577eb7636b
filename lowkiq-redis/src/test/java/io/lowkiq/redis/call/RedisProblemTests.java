package io.lowkiq.redis.call;

import java.util.concurrent.CompletionException;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisLoadingException;
import io.lowkiq.StoreAccessException;
import io.lowkiq.StoreException;
import io.lowkiq.StoreFullException;
import io.lowkiq.StoreTimeoutException;
import io.lowkiq.StoreUnreachableException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests of {@link RedisProblem}. */
class RedisProblemTests {

	@Test
	void redisThatIsStillLoadingCanNotBeReached() {
		StoreException problem = RedisProblem.of("enqueue",
				new CompletionException(new RedisLoadingException("LOADING Redis is loading the dataset in memory")));
		assertThat(problem).isExactlyInstanceOf(StoreUnreachableException.class)
			.hasMessage("Redis refused to enqueue: LOADING Redis is loading the dataset in memory");
	}

	@ParameterizedTest
	@ValueSource(strings = { "BUSY Redis is busy running a script. You can only call SCRIPT KILL",
			"READONLY You can't write against a read only replica.",
			"MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
			"MISCONF Errors writing to the AOF file: No space left on device script: f00, on @user_script:12.",
			"ERR Error running script (call to f_00): @user_script:12: @user_script: 12: -NOREPLICAS Not enough good "
					+ "replicas to write." })
	void redisThatRefusesAllWritesIsUnavailable(String error) {
		assertThat(refusal(error)).isExactlyInstanceOf(StoreUnreachableException.class);
	}

	@Test
	void refusalsAreToldApart() {
		assertThat(refusal("OOM command not allowed when used memory > 'maxmemory'"))
			.isExactlyInstanceOf(StoreFullException.class);
		assertThat(refusal("NOPERM this user has no permissions")).isExactlyInstanceOf(StoreAccessException.class);
		assertThat(refusal("WRONGTYPE Operation against a key holding the wrong kind of value"))
			.isExactlyInstanceOf(StoreException.class);
		assertThat(refusal("BUSYKEY Target key name already exists.")).isExactlyInstanceOf(StoreException.class);
		assertThat(refusal("ERR the job says LOADING is over")).isExactlyInstanceOf(StoreException.class);
	}

	@Test
	void silenceIsToldApart() {
		assertThat(RedisProblem.of("enqueue", new RedisCommandTimeoutException("Command timed out")))
			.isExactlyInstanceOf(StoreTimeoutException.class);
		assertThat(RedisProblem.of("enqueue", new RedisException("Connection closed")))
			.isExactlyInstanceOf(StoreUnreachableException.class);
	}

	private static StoreException refusal(String error) {
		return RedisProblem.of("enqueue", new RedisCommandExecutionException(error));
	}

}
