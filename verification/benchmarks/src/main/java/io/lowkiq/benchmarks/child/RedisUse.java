package io.lowkiq.benchmarks.child;

import java.util.Objects;
import java.util.Properties;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The use of a Redis up to a moment, without the reading itself.
 *
 * @param calls scripts that were called
 * @param commands commands that were processed, those inside scripts included
 * @param bytesIn bytes that were sent to it
 * @param bytesOut bytes that it has sent
 * @param micros microseconds of CPU time that its process has used, the readings included
 * @param keys keys that it holds
 */
record RedisUse(long calls, long commands, long bytesIn, long bytesOut, long micros, long keys) {

	private static final int BYTES_OF_A_READING = 100;

	private static final int BYTES_OF_AN_ANSWER = 8_000;

	static RedisUse of(LettuceConnectionFactory factory) {
		try (RedisConnection connection = factory.getConnection()) {
			Properties info = Objects.requireNonNull(connection.serverCommands().info("all"));
			long keys = Objects.requireNonNull(connection.serverCommands().dbSize());
			return new RedisUse(calls(info, "evalsha") + calls(info, "eval"),
					Long.parseLong(info.getProperty("total_commands_processed")),
					Long.parseLong(info.getProperty("total_net_input_bytes")),
					Long.parseLong(info.getProperty("total_net_output_bytes")),
					micros(info, "used_cpu_user") + micros(info, "used_cpu_sys"), keys);
		}
	}

	/** Its use since an earlier moment. */
	RedisUse since(RedisUse earlier) {
		return new RedisUse(this.calls - earlier.calls, this.commands - earlier.commands - 2,
				this.bytesIn - earlier.bytesIn - BYTES_OF_A_READING,
				this.bytesOut - earlier.bytesOut - BYTES_OF_AN_ANSWER, this.micros - earlier.micros,
				this.keys - earlier.keys);
	}

	private static long micros(Properties info, String property) {
		return (long) (1e6 * Double.parseDouble(info.getProperty(property)));
	}

	private static long calls(Properties info, String command) {
		String line = info.getProperty("cmdstat_" + command, "calls=0,");
		return Long.parseLong(line.substring("calls=".length(), line.indexOf(',')));
	}

}
