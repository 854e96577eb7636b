package io.lowkiq.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The CPU time of a server that works in child processes counts, also after they ended.
 */
@EnabledOnOs(OS.LINUX)
class ProcFileTests {

	/*
	 * Says so when its child has used some CPU time and ended, then waits for the end of
	 * its input.
	 */
	private static final String PARENT = """
			sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done'
			echo ended
			read rest
			""";

	@Test
	void timeOfAChildThatEndedCounts() throws IOException {
		Process parent = new ProcessBuilder("sh", "-c", PARENT).start();
		try (BufferedReader lines = parent.inputReader()) {
			assertThat(lines.readLine()).isEqualTo("ended");
			assertThat(ProcFile.familyCpu(parent.pid())).isGreaterThan(ProcFile.processCpu(parent.pid()));
		}
		finally {
			parent.destroyForcibly();
		}
	}

	@Test
	void processThatIsGoneHasUsedNothing() throws Exception {
		Process process = new ProcessBuilder("true").start();
		process.waitFor();
		assertThat(ProcFile.familyCpu(process.pid())).isZero();
	}

}
