package io.lowkiq.autoconfigure.observation;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Properties;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import io.lettuce.core.tracing.LettuceObservationContext;
import io.micrometer.observation.Observation;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.data.SpanData;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.observation.LettuceObservationAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import io.lowkiq.LowkiqClient;
import io.lowkiq.autoconfigure.LowkiqClientAutoConfiguration;
import io.lowkiq.autoconfigure.LowkiqRedisAutoConfiguration;
import io.lowkiq.autoconfigure.LowkiqServerAutoConfiguration;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Which Redis commands become spans, with Spring Boot's observation of Lettuce. */
class StoreCommandsIntegrationTests {

	private static final Duration LONG = Duration.ofSeconds(60);

	/** A server sends two a second, besides those of its heartbeat. */
	private static final int MANY_COMMANDS = 120;

	@Test
	void idleServerMakesNoSpans() {
		run((context, redis) -> {
			await().atMost(LONG).until(() -> commands(redis) > MANY_COMMANDS);
			assertThat(spans(context)).isEmpty();
		});
	}

	@Test
	void idleServerMakesSpansIfAsked() {
		run((context,
				redis) -> await().atMost(LONG)
					.untilAsserted(() -> assertThat(spans(context)).extracting(SpanData::getName)
						.anyMatch((command) -> command.equalsIgnoreCase("evalsha"))),
				"lowkiq.tracing.store-commands=true");
	}

	@Test
	void tenTracedJobsAreTenTraces() {
		run((context, redis) -> {
			IntStream.range(0, 10)
				.forEach((i) -> context.getBean(LowkiqClient.class).enqueue("traced", String.valueOf(i), i));
			// On a busy machine, a lease may lapse and a job be performed again: in its
			// trace
			await().atMost(LONG)
				.until(() -> spans(context, SpanKind.CONSUMER).stream().map(SpanData::getTraceId).distinct().count(),
						(traces) -> traces == 10);
			long sent = commands(redis);
			await().atMost(LONG).until(() -> commands(redis) > sent + MANY_COMMANDS / 4);
			List<SpanData> enqueues = spans(context, SpanKind.PRODUCER);
			assertThat(spans(context)).extracting(SpanData::getTraceId)
				.hasSameElementsAs(enqueues.stream().map(SpanData::getTraceId).toList());
			assertThat(spans(context)).as("the commands of the enqueues")
				.filteredOn((span) -> span.getKind() != SpanKind.CONSUMER)
				.extracting(SpanData::getParentSpanId)
				.containsAll(enqueues.stream().map(SpanData::getSpanId).toList());
		});
	}

	@Test
	void commandsOfTheApplicationStay() {
		run((context, redis) -> {
			context.getBean(StringRedisTemplate.class).opsForValue().set("lowki", "not of a job");
			await().atMost(LONG)
				.untilAsserted(
						() -> assertThat(spans(context)).extracting((span) -> span.getName().toLowerCase(Locale.ROOT))
							.containsOnly("set"));
		});
	}

	/**
	 * Makes the spans of commands; in an application, Spring Boot's default handler does.
	 */
	static final class CommandTracingHandler extends DefaultTracingObservationHandler {

		CommandTracingHandler(Tracer tracer) {
			super(tracer);
		}

		@Override
		public boolean supportsContext(Observation.Context context) {
			return context instanceof LettuceObservationContext;
		}

	}

	private interface Scenario {

		void run(AssertableApplicationContext context, LettuceConnectionFactory redis);

	}

	/** On a server of its own, whose commands are counted. */
	private static void run(Scenario scenario, String... properties) {
		try (RedisProcess redis = TestRedis.startPrivate()) {
			LettuceConnectionFactory other = TestRedis.connectionFactory(redis.url());
			try {
				Consumer<AssertableApplicationContext> begin = (context) -> {
					await().atMost(LONG).until(() -> commands(other) > MANY_COMMANDS / 4);
					context.getBean(InMemorySpanExporter.class).reset();
					scenario.run(context, other);
				};
				new ApplicationContextRunner()
					.withConfiguration(AutoConfigurations.of(ObservationAutoConfiguration.class,
							DataRedisAutoConfiguration.class, LettuceObservationAutoConfiguration.class,
							LowkiqRedisAutoConfiguration.class, LowkiqClientAutoConfiguration.class,
							LowkiqServerAutoConfiguration.class, LowkiqObservationAutoConfiguration.class))
					.withUserConfiguration(TracingTests.TracerConfiguration.class)
					.withBean(CommandTracingHandler.class)
					.withPropertyValues("spring.data.redis.url=" + redis.url(), "lowkiq.server.lease-duration=1s",
							"lowkiq.server.poll-interval=50ms")
					.withPropertyValues(properties)
					.run(begin::accept);
			}
			finally {
				other.destroy();
			}
		}
	}

	private static List<SpanData> spans(AssertableApplicationContext context) {
		return context.getBean(InMemorySpanExporter.class).getFinishedSpanItems();
	}

	private static List<SpanData> spans(AssertableApplicationContext context, SpanKind kind) {
		return spans(context).stream().filter((span) -> span.getKind() == kind).toList();
	}

	private static long commands(LettuceConnectionFactory redis) {
		try (RedisConnection connection = redis.getConnection()) {
			Properties stats = Objects.requireNonNull(connection.serverCommands().info("stats"));
			return Long.parseLong(stats.getProperty("total_commands_processed"));
		}
	}

}
