package io.lowkiq.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.lowkiq.LowkiqClient;
import io.lowkiq.LowkiqWorker;
import io.lowkiq.Worker;
import io.lowkiq.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** What a node has that performs nothing. */
class IdleNodeIntegrationTests {

	private final ApplicationContextRunner application = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, JacksonAutoConfiguration.class,
				LowkiqRedisAutoConfiguration.class, LowkiqClientAutoConfiguration.class,
				LowkiqServerAutoConfiguration.class, LowkiqAdminAutoConfiguration.class))
		.withPropertyValues("spring.data.redis.url=" + TestRedis.shared().url(),
				"lowkiq.key-prefix=" + TestRedis.uniquePrefix(), "spring.application.name=shop",
				"lowkiq.server.threads=2", "lowkiq.morgue.max-age=30d")
		.withBean(Mails.class);

	@Test
	void hasNoThreadForTasksThatWait() {
		Set<Thread> before = Thread.getAllStackTraces().keySet();
		this.application.run((context) -> {
			context.getBean(LowkiqClient.class).enqueue(Mails.class, "ann", "hello");
			await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
				assertThat(threadsBut(before)).containsExactly("lowkiq-follow-ups", "lowkiq-heartbeat",
						"lowkiq-membership", "lowkiq-perform-1", "lowkiq-perform-2", "lowkiq-timer");
			});
		});
	}

	private static Set<String> threadsBut(Set<Thread> before) {
		Set<String> names = new TreeSet<>();
		Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> !before.contains(thread))
			.map(Thread::getName)
			.filter((name) -> name.startsWith("lowkiq-"))
			.forEach(names::add);
		return names;
	}

	@LowkiqWorker(queue = "mails", shards = 2)
	static class Mails implements Worker<String> {

		@Override
		public void perform(String id, List<String> mails) {
		}

	}

}
