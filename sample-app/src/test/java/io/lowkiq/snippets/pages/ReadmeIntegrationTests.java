package io.lowkiq.snippets.pages;

import java.net.URLClassLoader;
import java.nio.file.Path;
import java.time.Duration;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/** The application of the README does what the README says. */
@ExtendWith(OutputCaptureExtension.class)
class ReadmeIntegrationTests {

	@Test
	void applicationIsComplete(@TempDir Path folder, CapturedOutput output) throws Exception {
		PageFiles page = new PageFiles("README.md", folder);
		try (URLClassLoader classes = page.compile();
				RunningApplication application = new RunningApplication(classes, "com.example.orders.OrdersApplication",
						"optional:file:" + folder + "/")) {
			assertThat(application.port()).isPositive();
			Awaitility.await()
				.atMost(Duration.ofMinutes(1))
				.untilAsserted(() -> assertThat(output.getOut()).contains("Order 42 is PAID"));
		}
	}

	@Test
	void llmsTxtHasTheSameApplication(@TempDir Path folder) {
		String file = "src/main/java/com/example/orders/OrdersApplication.java";
		assertThat(new PageFiles("llms.txt", folder.resolve("llms")).text(file))
			.isEqualTo(new PageFiles("README.md", folder.resolve("readme")).text(file));
	}

}
