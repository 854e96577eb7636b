package io.lowkiq.autoconfigure;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.lowkiq.WorkerRegistry;
import io.lowkiq.engine.LowkiqServer;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.testing.MemoryStoreConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@ExtendWith(OutputCaptureExtension.class)
class StartUpLogTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LowkiqRedisAutoConfiguration.class,
				LowkiqClientAutoConfiguration.class, LowkiqServerAutoConfiguration.class))
		.withUserConfiguration(MemoryStoreConfiguration.class, WorkerDiscoveryTests.OrderWorker.class,
				WorkerDiscoveryTests.MailWorker.class);

	@Test
	void namesQueuesWorkersAndThreads(CapturedOutput output) {
		this.runner.withPropertyValues("lowkiq.server.threads=3", "lowkiq.workers.OrderWorker.shards=7")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(output).contains("Queues: OrderWorker (7 shards), mails (24 shards)")
					.contains("Workers: OrderWorker, MailWorker (mails)")
					.contains("Threads: 3 platform threads");
			});
	}

	@Test
	void namesTheIntervalOfShardsThatSeldomStartAJob(CapturedOutput output) {
		this.runner
			.withPropertyValues("lowkiq.workers.OrderWorker.rate=6/min", "lowkiq.workers.mails.rate=144/min",
					"lowkiq.workers.mails.group.separator=:", "lowkiq.workers.mails.one-shard-per-group=true",
					"lowkiq.workers.mails.group.rate=1/min")
			.run((context) -> assertThat(output)
				.contains(
						"Queue 'OrderWorker' may start 6/min, divided among its 5 shards: each starts a job every 50 s")
				.doesNotContain("Queue 'mails' may start"));
	}

	@Test
	void applicationThatOnlyEnqueuesSaysWhere(CapturedOutput output) {
		ApplicationContextRunner onRedis = new ApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(DataRedisAutoConfiguration.class, LowkiqRedisAutoConfiguration.class,
							LowkiqClientAutoConfiguration.class, LowkiqServerAutoConfiguration.class))
			.withPropertyValues("spring.data.redis.host=redis.example", "lowkiq.key-prefix=shop");
		onRedis.run((context) -> assertThat(output)
			.containsOnlyOnce("Redis: redis://redis.example:6379/0, keys begin with 'shop'"));
		onRedis.withUserConfiguration(WorkerDiscoveryTests.OrderWorker.class)
			.withPropertyValues("lowkiq.server.enabled=false", "lowkiq.key-prefix=mall")
			.run((context) -> assertThat(output)
				.containsOnlyOnce("Redis: redis://redis.example:6379/0, keys begin with 'mall'"));
	}

	@Test
	void linesAreTogether(CapturedOutput output) {
		this.runner.run((context) -> {
			await().untilAsserted(() -> assertThat(context.getBean(LowkiqServer.class).status().shards()).isNotEmpty());
			assertThat(output.getOut()
				.lines()
				.filter((line) -> line.contains("io.lowkiq") && line.contains("INFO"))
				.map((line) -> line.replaceAll(".* -- (\\w+).*", "$1")))
				.containsExactly("Node", "Queues", "Workers", "Threads", "Redis");
		});
	}

	@Test
	void saysNothingOfAServerThatDoesNotStart(CapturedOutput output) {
		this.runner.withPropertyValues("lowkiq.server.enabled=false")
			.run((context) -> assertThat(output).doesNotContain("Queues: "));
	}

	@Test
	void namesRedisWithoutThePassword(CapturedOutput output) {
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration("redis.example", 6380);
		configuration.setPassword(RedisPassword.of("secret"));
		LowkiqProperties.Server server = LowkiqPropertiesTests.bind(Map.of()).server();
		new StartUpLog(new WorkerRegistry(List.of()),
				new RedisStore(new LettuceConnectionFactory(configuration), "shop", null), server, true)
			.write();
		assertThat(output).contains("Threads: 5 virtual threads")
			.contains("Redis: redis://redis.example:6380/0, keys begin with 'shop'")
			.doesNotContain("secret");
	}

}
