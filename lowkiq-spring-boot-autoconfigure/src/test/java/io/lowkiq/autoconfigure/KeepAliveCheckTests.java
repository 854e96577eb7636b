package io.lowkiq.autoconfigure;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CountDownLatch;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.support.GenericApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class KeepAliveCheckTests {

	private static final String WARNING = "No thread keeps this JVM alive";

	private static void ready(boolean isRunning, Thread... others) {
		new KeepAliveCheck(() -> isRunning, () -> Set.of(others)).onApplicationEvent(new ApplicationReadyEvent(
				new SpringApplication(), new String[0], new GenericApplicationContext(), Duration.ZERO));
	}

	private static Thread thread(boolean isDaemon, CountDownLatch end) {
		Thread thread = new Thread(() -> {
			try {
				end.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		});
		thread.setDaemon(isDaemon);
		thread.start();
		return thread;
	}

	@Test
	void aNodeWithDaemonsOnlyIsWarnedOf(CapturedOutput output) {
		CountDownLatch end = new CountDownLatch(1);
		ready(true, Thread.currentThread(), thread(true, end));
		end.countDown();
		assertThat(output).contains(WARNING).contains("spring.main.keep-alive=true");
	}

	@Test
	void aThreadThatIsNoDaemonKeepsTheNodeAlive(CapturedOutput output) {
		CountDownLatch end = new CountDownLatch(1);
		ready(true, Thread.currentThread(), thread(false, end));
		end.countDown();
		assertThat(output).doesNotContain(WARNING);
	}

	@Test
	void anApplicationWithoutANodeMayEnd(CapturedOutput output) {
		ready(false, Thread.currentThread());
		assertThat(output).doesNotContain(WARNING);
	}

}
