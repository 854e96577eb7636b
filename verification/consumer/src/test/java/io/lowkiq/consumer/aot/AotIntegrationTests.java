package io.lowkiq.consumer.aot;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

import io.lowkiq.testing.TestRedis;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** An application that was compiled ahead of time performs its jobs. */
class AotIntegrationTests {

	@Test
	void performsJobs(@TempDir Path directory) throws IOException, InterruptedException {
		Path output = directory.resolve("output");
		Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-Dspring.aot.enabled=true", "-cp", System.getProperty("java.class.path"),
				"io.lowkiq.consumer.aot.AotApplication", "--spring.data.redis.url=" + TestRedis.shared().url(),
				"--lowkiq.key-prefix=" + TestRedis.uniquePrefix(), "--spring.main.web-application-type=none")
			.redirectErrorStream(true)
			.redirectOutput(output.toFile())
			.start();
		try {
			assertThat(process.waitFor(90, TimeUnit.SECONDS)).as(() -> text(output)).isTrue();
			assertThat(output).content()
				.contains("Starting AOT-processed AotApplication", "PERFORMED Card[number=1234]",
						"PERFORMED Transfer[account=DE1]");
			assertThat(process.exitValue()).isZero();
		}
		finally {
			process.destroyForcibly();
		}
	}

	private static String text(Path output) {
		try {
			return Files.readString(output);
		}
		catch (IOException ex) {
			return ex.toString();
		}
	}

}
