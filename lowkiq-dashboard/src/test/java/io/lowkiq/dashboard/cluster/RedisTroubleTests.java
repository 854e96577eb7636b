package io.lowkiq.dashboard.cluster;

import java.util.concurrent.TimeoutException;

import io.lowkiq.StoreException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests of {@link RedisTrouble}. */
class RedisTroubleTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|', value = {
			"NOPERM User app has no permissions to run the 'info' command | Redis refused a command that its user may not run",
			"OOM command not allowed when used memory > 'maxmemory'. | Redis is full",
			"ERR Error running script (call to f_1): @user_script:3: -OOM command not allowed | Redis is full",
			"WRONGTYPE Operation against a key holding the wrong kind of value | A key in Redis has an unexpected type",
			"ERR user_script:12: attempt to index a nil value script: 12ab | A script failed in Redis: ERR user_script:12",
			"READONLY You can't write against a read only replica. | Redis is a read-only replica",
			"Connection refused | Redis can't be reached." })
	void saysWhatRedisSaid(String reply, String sentence) {
		StoreException problem = new StoreException("The store did not reply",
				new IllegalStateException("wrapped", new IllegalStateException(reply)));
		assertThat(RedisTrouble.sentence(problem)).startsWith(sentence);
	}

	@Test
	void saysThatRedisDoesNotRespond() {
		assertThat(RedisTrouble.sentence(new StoreException("No reply", new TimeoutException())))
			.isEqualTo("Redis doesn't respond.");
	}

}
