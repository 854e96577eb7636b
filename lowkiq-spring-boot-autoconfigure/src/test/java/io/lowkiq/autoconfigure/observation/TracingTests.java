package io.lowkiq.autoconfigure.observation;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.lowkiq.LowkiqClient;
import io.lowkiq.LowkiqWorker;
import io.lowkiq.Worker;
import io.lowkiq.autoconfigure.LowkiqClientAutoConfiguration;
import io.lowkiq.autoconfigure.LowkiqRedisAutoConfiguration;
import io.lowkiq.autoconfigure.LowkiqServerAutoConfiguration;
import io.lowkiq.observation.DefaultPerformObservationConvention;
import io.lowkiq.observation.PerformObservationContext;
import io.lowkiq.observation.PerformObservationConvention;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.QueueLayout;
import io.lowkiq.store.inspection.JobView;
import io.lowkiq.store.job.Shard;
import io.lowkiq.testing.MemoryStoreConfiguration;
import io.micrometer.common.KeyValues;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.otel.bridge.OtelCurrentTraceContext;
import io.micrometer.tracing.otel.bridge.OtelTracer;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SpanLimits;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Traces across the queue, with OpenTelemetry. */
class TracingTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(ObservationAutoConfiguration.class, LowkiqRedisAutoConfiguration.class,
				LowkiqClientAutoConfiguration.class, LowkiqServerAutoConfiguration.class,
				LowkiqObservationAutoConfiguration.class))
		.withUserConfiguration(MemoryStoreConfiguration.class, TracerConfiguration.class);

	@LowkiqWorker(queue = "traced", shards = 1)
	static final class TracedWorker implements Worker<Integer> {

		private final Tracer tracer;

		private final AtomicInteger failuresLeft = new AtomicInteger();

		/** The traces in which it was called. */
		private final ConcurrentLinkedQueue<String> traces = new ConcurrentLinkedQueue<>();

		TracedWorker(Tracer tracer) {
			this.tracer = tracer;
		}

		@Override
		public void perform(String id, List<Integer> payloads) {
			var span = this.tracer.currentSpan();
			this.traces.add((span != null) ? span.context().traceId() : "none");
			if (this.failuresLeft.getAndDecrement() > 0) {
				throw new IllegalStateException("boom");
			}
		}

		@Override
		public Duration retryIn(int retryCount, Throwable error) {
			return Duration.ZERO;
		}

	}

	/** A tracer whose spans are kept. */
	@Configuration(proxyBeanMethods = false)
	static class TracerConfiguration {

		@Bean
		InMemorySpanExporter exporter() {
			return InMemorySpanExporter.create();
		}

		@Bean
		SdkTracerProvider provider(InMemorySpanExporter exporter) {
			return SdkTracerProvider.builder()
				.setSampler(Sampler.parentBased(Sampler.alwaysOn()))
				.setSpanLimits(SpanLimits.builder().setMaxNumberOfLinks(1_000).build())
				.addSpanProcessor(SimpleSpanProcessor.create(exporter))
				.build();
		}

		@Bean
		Tracer tracer(SdkTracerProvider provider) {
			return new OtelTracer(provider.get("test"), new OtelCurrentTraceContext(), (event) -> {
			});
		}

		@Bean
		TracedWorker worker(Tracer tracer) {
			return new TracedWorker(tracer);
		}

	}

	private static Shard pausedShard(ApplicationContext context) {
		RedisStore store = context.getBean(RedisStore.class);
		QueueLayout layout = store.queues().register("traced", 1);
		store.actions().pause(layout.shard(0), true);
		return layout.shard(0);
	}

	private static List<SpanData> spans(ApplicationContext context, SpanKind kind) {
		return context.getBean(InMemorySpanExporter.class)
			.getFinishedSpanItems()
			.stream()
			.filter((span) -> span.getKind() == kind)
			.toList();
	}

	private static List<SpanData> performs(ApplicationContext context, int count) {
		await().untilAsserted(() -> assertThat(spans(context, SpanKind.CONSUMER)).hasSize(count));
		return spans(context, SpanKind.CONSUMER);
	}

	/** Enqueues as so many requests do, and has the job performed once. */
	private static SpanData performOnce(ApplicationContext context, int producers) {
		Shard shard = pausedShard(context);
		IntStream.range(0, producers).forEach((i) -> context.getBean(LowkiqClient.class).enqueue("traced", "a", i));
		assertThat(spans(context, SpanKind.PRODUCER)).hasSize(producers);
		context.getBean(RedisStore.class).actions().pause(shard, false);
		return performs(context, 1).get(0);
	}

	private static String attribute(SpanData span, String name) {
		return String.valueOf(span.getAttributes().get(AttributeKey.stringKey(name)));
	}

	@Test
	void performIsLinkedToEveryProducer() {
		this.runner.withPropertyValues("lowkiq.tracing.max-producers=100").run((context) -> {
			SpanData perform = performOnce(context, 100);
			assertThat(perform.getLinks()).extracting((link) -> link.getSpanContext().getSpanId())
				.containsExactlyElementsOf(
						spans(context, SpanKind.PRODUCER).stream().map(SpanData::getSpanId).toList());
			assertThat(perform.getLinks()).extracting((link) -> link.getSpanContext().getTraceId())
				.doesNotHaveDuplicates()
				.hasSize(100);
			assertThat(perform.getAttributes().asMap())
				.doesNotContainKey(AttributeKey.stringKey("lowkiq.more_producers"));
			assertThat(attribute(perform, "messaging.batch.message_count")).isEqualTo("100");
		});
	}

	@Test
	void producersBeyondThirtyTwoAreCounted() {
		this.runner.run((context) -> {
			SpanData perform = performOnce(context, 100);
			assertThat(perform.getLinks()).hasSize(32);
			assertThat(attribute(perform, "lowkiq.more_producers")).isEqualTo("68");
		});
	}

	@Test
	void performContinuesTheTraceOfItsProducerOnItsThread() {
		this.runner.run((context) -> {
			SpanData perform = performOnce(context, 1);
			SpanData producer = spans(context, SpanKind.PRODUCER).get(0);
			assertThat(producer.getName()).isEqualTo("send traced");
			assertThat(perform.getName()).isEqualTo("process traced");
			assertThat(perform.getTraceId()).isEqualTo(producer.getTraceId());
			assertThat(perform.getParentSpanId()).isEqualTo(producer.getSpanId());
			assertThat(attribute(perform, "lowkiq.id")).isEqualTo("a");
			assertThat(context.getBean(TracedWorker.class).traces).containsExactly(producer.getTraceId());
		});
	}

	@Test
	void performContinuesTheFirstTraceThatIsRecorded() {
		this.runner.run((context) -> {
			Shard shard = pausedShard(context);
			Tracer tracer = context.getBean(Tracer.class);
			var unrecorded = tracer.traceContextBuilder()
				.traceId("a".repeat(32))
				.spanId("b".repeat(16))
				.sampled(false)
				.build();
			try (var scope = tracer.currentTraceContext().newScope(unrecorded)) {
				assertThat(scope).isNotNull();
				context.getBean(LowkiqClient.class).enqueue("traced", "a", 1);
			}
			context.getBean(LowkiqClient.class).enqueue("traced", "a", 2);
			context.getBean(RedisStore.class).actions().pause(shard, false);
			SpanData perform = performs(context, 1).get(0);
			SpanData producer = spans(context, SpanKind.PRODUCER).get(0);
			assertThat(perform.getTraceId()).isEqualTo(producer.getTraceId());
			assertThat(perform.getLinks()).extracting(LinkData::getSpanContext)
				.extracting((link) -> link.getTraceId())
				.containsExactly("a".repeat(32), producer.getTraceId());
		});
	}

	@Test
	void linksStayThroughRetries() {
		this.runner.run((context) -> {
			context.getBean(TracedWorker.class).failuresLeft.set(2);
			Shard shard = pausedShard(context);
			IntStream.range(0, 3).forEach((i) -> context.getBean(LowkiqClient.class).enqueue("traced", "a", i));
			context.getBean(RedisStore.class).actions().pause(shard, false);
			List<SpanData> performs = performs(context, 3);
			assertThat(performs).allSatisfy((perform) -> assertThat(perform.getLinks()).hasSize(3));
			assertThat(performs).extracting((perform) -> attribute(perform, "lowkiq.attempt"))
				.containsExactly("1", "2", "3");
			assertThat(performs).extracting((perform) -> perform.getStatus().getDescription())
				.containsExactly("boom", "boom", "");
		});
	}

	@Test
	void lineOfAFailureIsWrittenWithinTheSpan() {
		this.runner.run((context) -> {
			TracedWorker worker = context.getBean(TracedWorker.class);
			worker.failuresLeft.set(1);
			Logger failures = (Logger) LoggerFactory.getLogger("io.lowkiq.engine.perform.FailureLog");
			TraceAppender appender = new TraceAppender(context.getBean(Tracer.class));
			appender.start();
			failures.addAppender(appender);
			try {
				context.getBean(LowkiqClient.class).enqueue("traced", "a", 1);
				List<SpanData> performs = performs(context, 2);
				assertThat(appender.lines)
					.containsExactly("%s Job 'a' of queue 'traced' failed (attempt 1 of 26); next attempt in 0 s"
						.formatted(performs.get(0).getSpanId()));
				assertThat(performs.get(0).getStatus().getDescription()).isEqualTo("boom");
			}
			finally {
				failures.detachAppender(appender);
			}
		});
	}

	/** Keeps lines with the span in which they were written. */
	private static final class TraceAppender extends AppenderBase<ILoggingEvent> {

		private final Tracer tracer;

		private final ConcurrentLinkedQueue<String> lines = new ConcurrentLinkedQueue<>();

		TraceAppender(Tracer tracer) {
			this.tracer = tracer;
		}

		@Override
		protected void append(ILoggingEvent event) {
			var span = this.tracer.currentSpan();
			this.lines.add(((span != null) ? span.context().spanId() : "none") + " " + event.getFormattedMessage());
		}

	}

	@Test
	void conventionsCanBeReplaced() {
		this.runner.withBean(PerformObservationConvention.class, () -> new DefaultPerformObservationConvention() {

			@Override
			public String getContextualName(PerformObservationContext context) {
				return "my perform";
			}

			@Override
			public KeyValues getHighCardinalityKeyValues(PerformObservationContext context) {
				return KeyValues.of("mine", context.call().jobs().get(0).id());
			}

		}).run((context) -> {
			SpanData perform = performOnce(context, 1);
			assertThat(perform.getName()).isEqualTo("my perform");
			assertThat(perform.getAttributes().asMap()).containsOnlyKeys(AttributeKey.stringKey("mine"),
					AttributeKey.stringKey("queue"));
		});
	}

	@Test
	void observationsThatAreSwitchedOffKeepNothing() {
		this.runner.withPropertyValues("management.observations.enable.lowkiq=false").run((context) -> {
			Shard shard = pausedShard(context);
			context.getBean(LowkiqClient.class).enqueue("traced", "a", 1);
			assertThat(producers(context, shard)).isZero();
		});
	}

	@Test
	void withoutATracerNothingIsKept() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(ObservationAutoConfiguration.class,
					LowkiqRedisAutoConfiguration.class, LowkiqClientAutoConfiguration.class,
					LowkiqServerAutoConfiguration.class, LowkiqObservationAutoConfiguration.class))
			.withUserConfiguration(MemoryStoreConfiguration.class)
			.withClassLoader(new FilteredClassLoader("io.micrometer.tracing"))
			.run((context) -> {
				Shard shard = pausedShard(context);
				context.getBean(LowkiqClient.class).enqueue("traced", "a", 1);
				assertThat(producers(context, shard)).isZero();
			});
	}

	private static int producers(ApplicationContext context, Shard shard) {
		return context.getBean(RedisStore.class)
			.inspection()
			.find(shard, JobView.State.QUEUED, "a", 0)
			.orElseThrow()
			.producers()
			.traces()
			.size();
	}

	@Test
	void anImpossibleNumberOfProducersIsRefused() {
		for (int wrong : new int[] { 0, 256 }) {
			this.runner.withPropertyValues("lowkiq.tracing.max-producers=" + wrong)
				.run((context) -> assertThat(context).hasFailed()
					.getFailure()
					.rootCause()
					.hasMessageContaining("lowkiq.tracing.max-producers is " + wrong));
		}
	}

}
