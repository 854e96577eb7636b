package io.lowkiq.autoconfigure;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.aot.AotDetector;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.core.annotation.AnnotationAwareOrderComparator;
import org.springframework.core.SpringProperties;
import org.springframework.core.env.Environment;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.mock.env.MockEnvironment;
import org.springframework.scheduling.annotation.Async;

import io.lowkiq.Batch;
import io.lowkiq.BatchWorker;
import io.lowkiq.LowkiqClient;
import io.lowkiq.LayoutMismatchException;
import io.lowkiq.LowkiqWorker;
import io.lowkiq.PayloadWorker;
import io.lowkiq.QueueDeclaration;
import io.lowkiq.Worker;
import io.lowkiq.redis.LowkiqRedis;
import io.lowkiq.testing.MemoryStoreConfiguration;

import static org.assertj.core.api.Assertions.assertThat;

class FailureAnalysisTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LowkiqRedisAutoConfiguration.class,
				LowkiqClientAutoConfiguration.class, LowkiqServerAutoConfiguration.class))
		.withUserConfiguration(MemoryStoreConfiguration.class)
		.withPropertyValues("lowkiq.server.enabled=false");

	private static final ApplicationContextRunner WITH_REDIS = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LowkiqRedisAutoConfiguration.class,
				LowkiqClientAutoConfiguration.class, LowkiqServerAutoConfiguration.class))
		.withPropertyValues("lowkiq.server.enabled=false");

	@Test
	void twoWorkersOfAQueue() {
		FailureAnalysis analysis = analyze(this.runner.withUserConfiguration(TwoWorkers.class));
		assertThat(analysis.getDescription().replace(System.lineSeparator(), "\n")).isEqualTo("""
				Two workers serve queue 'orders':

				    - Bean 'one' (io.lowkiq.Worker<java.lang.String>)
				    - Bean 'two' (io.lowkiq.Worker<java.lang.String>)

				A queue has one worker.""");
		assertThat(analysis.getAction())
			.isEqualTo("Give one of them another queue: @LowkiqWorker(\"…\"), or remove one of the beans.");
	}

	@Test
	void noPayloadType() {
		FailureAnalysis analysis = analyze(this.runner.withUserConfiguration(RawWorker.class));
		assertThat(analysis.getDescription())
			.isEqualTo("The payload type of Bean 'raw' (%s) can't be determined.".formatted("io.lowkiq.Worker<?>"));
		assertThat(analysis.getAction()).startsWith("Name it where the worker is declared");
	}

	@Test
	void notAWorker() {
		FailureAnalysis analysis = analyze(this.runner.withBean("text", NotAWorker.class));
		assertThat(analysis.getDescription())
			.isEqualTo(("Bean 'text' (%s) is annotated with @LowkiqWorker, but implements neither Worker, "
					+ "PayloadWorker nor BatchWorker.")
				.formatted(NotAWorker.class.getName()));
		assertThat(analysis.getAction()).isEqualTo("Let NotAWorker implement one of io.lowkiq.Worker<P>, "
				+ "io.lowkiq.PayloadWorker<P> and io.lowkiq.BatchWorker<P>, or remove the annotation.");
	}

	@Test
	void badQueueName() {
		FailureAnalysis analysis = analyze(this.runner.withBean("bad", BadName.class));
		assertThat(analysis.getDescription()).contains("Bean 'bad'").contains("'a queue' is not a queue name");
		assertThat(analysis.getAction())
			.isEqualTo("Change its @LowkiqWorker, or the property under lowkiq.workers that overrides it.");
	}

	@Test
	void queueThatCanNotBeResolved() {
		FailureAnalysis analysis = analyze(
				this.runner.withInitializer((context) -> context.getEnvironment().setRequiredProperties())
					.withConfiguration(AutoConfigurations
						.of(org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration.class))
					.withBean("unresolved", Unresolved.class));
		assertThat(analysis.getDescription()).isEqualTo(
				"queue of the @LowkiqWorker of Bean 'unresolved' (%s) is '${no.such.property}', which can't be resolved."
					.formatted(Unresolved.class.getName()));
		assertThat(analysis.getAction()).isEqualTo("Set the property, or give it a default: ${name:default}.");
	}

	@Test
	void lambdaWithoutQueue() {
		FailureAnalysis analysis = analyze(this.runner.withUserConfiguration(NamelessWorker.class));
		assertThat(analysis.getDescription()).isEqualTo(
				"Bean 'nameless' (io.lowkiq.Worker<java.lang.String>) " + "has no class to name its queue after.");
		assertThat(analysis.getAction()).isEqualTo("Name the queue: @LowkiqWorker(\"…\").");
	}

	@Test
	void annotatedClassThatItsDefinitionHides() {
		FailureAnalysis analysis = analyze(this.runner.withUserConfiguration(HiddenWorker.class));
		assertThat(analysis.getDescription()).contains("Bean 'hidden' is a " + BadName.class.getName());
		assertThat(analysis.getAction())
			.isEqualTo("Make the @Bean method return BadName, or annotate the method with @LowkiqWorker.");
	}

	@Test
	void outboxWithoutItsModule() {
		FailureAnalysis analysis = analyze(this.runner.withPropertyValues("lowkiq.client.transactional=outbox"));
		assertThat(analysis.getDescription()).isEqualTo(
				"lowkiq.client.transactional is 'outbox', but the module with the outbox is not on the class path.");
		assertThat(analysis.getAction())
			.isEqualTo("Add io.lowkiq:lowkiq-outbox to the dependencies, or change the property.");
	}

	@Test
	void outboxThatWasLeftOutAheadOfTime() {
		SpringProperties.setFlag(AotDetector.AOT_ENABLED);
		try {
			FailureAnalysis analysis = analyze(this.runner.withPropertyValues("lowkiq.client.transactional=outbox"));
			assertThat(analysis.getDescription()).isEqualTo(
					"lowkiq.client.transactional is 'outbox', but it was not when the application was compiled ahead of time, which fixes it.");
			assertThat(analysis.getAction())
				.isEqualTo("Set the property where the application is built, too, and build it again.");
		}
		finally {
			SpringProperties.setProperty(AotDetector.AOT_ENABLED, null);
		}
	}

	@Test
	void severalConnectionsToRedis() {
		FailureAnalysis analysis = analyze(
				WITH_REDIS.withBean("cache", LettuceConnectionFactory.class, LettuceConnectionFactory::new)
					.withBean("jobs", LettuceConnectionFactory.class, LettuceConnectionFactory::new));
		assertThat(analysis.getDescription()).isEqualTo("It is not clear which Redis is for jobs: there are several "
				+ "beans of type RedisConnectionFactory: cache, jobs.");
		assertThat(analysis.getAction())
			.isEqualTo("Annotate the one for the jobs with @io.lowkiq.redis.LowkiqRedis, and no other. "
					+ "Or set lowkiq.redis.url, to give jobs a Redis of their own.");
	}

	@Test
	void severalQualifiedConnectionsToRedis() {
		FailureAnalysis analysis = analyze(WITH_REDIS.withUserConfiguration(TwoQualified.class));
		assertThat(analysis.getDescription()).startsWith("It is not clear which Redis is for jobs");
	}

	@Test
	void noConnectionToRedis() {
		FailureAnalysis analysis = analyze(WITH_REDIS);
		assertThat(analysis.getDescription()).isEqualTo("There is no RedisConnectionFactory, so jobs have no store.");
	}

	@Configuration(proxyBeanMethods = false)
	static class TwoQualified {

		@Bean
		@Primary
		LettuceConnectionFactory cache() {
			return new LettuceConnectionFactory();
		}

		@Bean
		@LowkiqRedis
		LettuceConnectionFactory one() {
			return new LettuceConnectionFactory();
		}

		@Bean
		@LowkiqRedis
		LettuceConnectionFactory two() {
			return new LettuceConnectionFactory();
		}

	}

	@Test
	void payloadTypeThatIsAnInterface() {
		FailureAnalysis analysis = analyze(this.runner.withBean(ShapeWorker.class));
		assertThat(analysis.getDescription()).startsWith(
				"Payloads of queue 'ShapeWorker' could be enqueued, but its worker, " + ShapeWorker.class.getName()
						+ ", could not read them: JSON can't be read as " + Shape.class.getName());
		assertThat(analysis.getAction()).contains("@JsonTypeInfo");
	}

	@Test
	void payloadTypeThatIsAnInnerClass() {
		FailureAnalysis analysis = analyze(this.runner.withBean(InnerWorker.class));
		assertThat(analysis.getDescription()).contains("JSON can't be read as " + Inner.class.getName());
	}

	interface Shape {

	}

	@LowkiqWorker
	static class ShapeWorker implements Worker<List<Shape>> {

		@Override
		public void perform(String id, List<List<Shape>> payloads) {
		}

	}

	class Inner {

		public int number;

	}

	@LowkiqWorker
	static class InnerWorker implements PayloadWorker<Inner> {

		@Override
		public void perform(String id, Inner payload) {
		}

	}

	static Stream<Class<?>> asyncWorkers() {
		return Stream.of(AsyncPerform.class, AsyncClass.class, AsyncByAnotherAnnotation.class, InheritedAsync.class,
				AsyncBatch.class);
	}

	@ParameterizedTest
	@MethodSource("asyncWorkers")
	void performThatIsAsync(Class<?> worker) {
		FailureAnalysis analysis = analyze(this.runner.withUserConfiguration(worker));
		assertThat(analysis.getDescription()).startsWith("perform of Bean '")
			.contains(worker.getName())
			.contains("is @Async: its jobs would count as done before they are performed");
		assertThat(analysis.getAction()).startsWith("Remove @Async from perform and from the class.");
	}

	@Test
	void anotherMethodOfAWorkerMayBeAsync() {
		this.runner.withUserConfiguration(AsyncElsewhere.class).run((context) -> assertThat(context).hasNotFailed());
	}

	@LowkiqWorker
	static class AsyncPerform implements Worker<String> {

		@Override
		@Async
		public void perform(String id, List<String> payloads) {
		}

	}

	@Async
	@LowkiqWorker
	static class AsyncClass implements PayloadWorker<String> {

		@Override
		public void perform(String id, String payload) {
		}

	}

	@Async("mails")
	@Target(ElementType.METHOD)
	@Retention(RetentionPolicy.RUNTIME)
	@interface OnMailThreads {

	}

	@LowkiqWorker
	static class AsyncByAnotherAnnotation implements Worker<String> {

		@Override
		@OnMailThreads
		public void perform(String id, List<String> payloads) {
		}

	}

	@LowkiqWorker
	static class InheritedAsync extends AsyncPerform {

	}

	@LowkiqWorker
	static class AsyncBatch implements BatchWorker<String> {

		@Override
		@Async
		public void perform(Batch<String> batch) {
		}

	}

	@LowkiqWorker
	static class AsyncElsewhere implements Worker<String> {

		@Override
		public void perform(String id, List<String> payloads) {
		}

		@Async
		void notifyOthers() {
		}

	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
			lowkiq.server.threads=0 | lowkiq.server.threads is 0; it must be between 1 and 1000.
			lowkiq.server.shutdown-timeout=-1s | lowkiq.server.shutdown-timeout is -1 s; it must not be negative.
			lowkiq.metrics.cache=-1s | lowkiq.metrics.cache is -1 s; it must not be negative.
			lowkiq.metrics.groups=-1 | lowkiq.metrics.groups is -1; it must be between 0 and 100.
			lowkiq.metrics.groups=101 | lowkiq.metrics.groups is 101; it must be between 0 and 100.
			lowkiq.morgue.max-age=-1s | lowkiq.morgue.max-age is -1 s; it must not be negative.
			""")
	void badProperty(String property, String description) {
		FailureAnalysis analysis = analyze(this.runner.withPropertyValues(property));
		assertThat(analysis.getDescription()).isEqualTo(description);
		assertThat(analysis.getAction()).isEqualTo("Change the property.");
	}

	@Test
	void badNodeNumber() {
		FailureAnalysis analysis = analyze(this.runner.withPropertyValues("lowkiq.server.splitter=by-node",
				"lowkiq.server.node-count=2", "lowkiq.server.node-number=2"));
		assertThat(analysis.getDescription())
			.isEqualTo("lowkiq.server.node-number is 2 and lowkiq.server.node-count is 2.");
		assertThat(analysis.getAction()).contains("from 0 to node-count - 1");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"',
			textBlock = """
					bury-on=no.such.Exception | lowkiq.workers.fine.bury-on names the exception 'no.such.Exception', which can't be found. | Write the full name of its class, as in 'java.lang.IllegalArgumentException'.
					discard-on=java.lang.String | lowkiq.workers.fine.discard-on names java.lang.String, which is not an exception type. | Name classes that extend Throwable.
					""")
	void badException(String property, String description, String action) {
		FailureAnalysis analysis = analyze(
				this.runner.withBean("worker", FineWorker.class).withPropertyValues("lowkiq.workers.fine." + property));
		assertThat(analysis.getDescription()).isEqualTo(description);
		assertThat(analysis.getAction()).isEqualTo(action);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"',
			textBlock = """
					max-wait=5s | | max-wait of queue 'fine' is 5 s, but it has no debounce
					max-wait=5s | debounce=6s | max-wait of queue 'fine' is 5 s, which is less than its debounce, 6 s
					perform-timeout=-1s | | perform-timeout of queue 'fine' is -1 s; it must be between 0 and 365 days
					bury-on=java.io.IOException | discard-on=java.io.IOException | bury-on and discard-on of queue 'fine' both name java.io.IOException
					shard-concurrency=1001 | | shard-concurrency of queue 'fine' is 1001; it must be between 0 and 1000.
					""")
	void badSetting(String property, String other, String description) {
		FailureAnalysis analysis = analyze(this.runner.withBean("worker", FineWorker.class)
			.withPropertyValues(Stream.of(property, other)
				.filter(Objects::nonNull)
				.map("lowkiq.workers.fine."::concat)
				.toArray(String[]::new)));
		assertThat(analysis.getDescription()).contains("'worker'", description);
		assertThat(analysis.getAction())
			.isEqualTo("Change its @LowkiqWorker, or the property under lowkiq.workers that overrides it.");
	}

	@LowkiqWorker(queue = "fine")
	static class FineWorker implements Worker<String> {

		@Override
		public void perform(String id, List<String> payloads) {
		}

	}

	@Test
	void virtualThreadsOnAnOldJava() {
		LowkiqProperties.Server properties = LowkiqPropertiesTests.bind(Map.of("lowkiq.server.virtual-threads", "true"))
			.server();
		FailureAnalysis analysis = analyze(this.runner.withBean(LowkiqServerCustomizer.class,
				() -> (builder) -> new ServerConfigurer(properties, false, 17).configure(builder)));
		assertThat(analysis.getDescription())
			.isEqualTo("lowkiq.server.virtual-threads is set, but Java 17 has no virtual threads.");
		assertThat(analysis.getAction()).isEqualTo("Run the application on Java 21 or newer, or remove the property.");
	}

	@Test
	void anotherNumberOfShards() {
		FailureAnalysis analysis = analyze(new LayoutMismatchException(new QueueDeclaration("mail.out", 7),
				new QueueDeclaration("mail.out", 5, "--")));
		assertThat(analysis.getDescription())
			.startsWith("Queue 'mail.out' is declared with 7 shards here, but recorded with 5 shards and "
					+ "one-shard-per-group with the separator '--' in the store.");
		assertThat(analysis.getAction())
			.isEqualTo("Set lowkiq.workers.mail.out.shards=5, lowkiq.workers.mail.out.one-shard-per-group=true, "
					+ "lowkiq.workers.mail.out.group.separator='--', or the attributes of its @LowkiqWorker; lowkiq.queues.mail.out.* where "
					+ "this application only enqueues. For the other layout, use a queue with another name, and drain this one first.");
	}

	@Test
	void aBeanThatIsMissingBecauseLowkiqIsSwitchedOffSaysSo() {
		this.runner.withUserConfiguration(Enqueuing.class).withPropertyValues("lowkiq.enabled=false").run((context) -> {
			FailureAnalyzer analyzer = new SwitchedOffFailureAnalyzer(
					new MockEnvironment().withProperty("lowkiq.enabled", "false"));
			FailureAnalysis analysis = analyzer.analyze(context.getStartupFailure());
			assertThat(analysis).isNotNull();
			assertThat(analysis.getDescription())
				.contains("io.lowkiq.LowkiqClient is needed, but lowkiq.enabled is false")
				.contains("enqueuing");
			assertThat(analysis.getAction()).contains("lowkiq.server.enabled=false");
			assertThat(new SwitchedOffFailureAnalyzer(new MockEnvironment()).analyze(context.getStartupFailure()))
				.isNull();
			assertThat(analyzer.analyze(new NoSuchBeanDefinitionException(Runnable.class))).isNull();
		});
	}

	@Test
	void theAnalyzerOfMissingBeansIsRegisteredBeforeTheGeneralOne() {
		List<FailureAnalyzer> analyzers = SpringFactoriesLoader.forDefaultResourceLocation()
			.load(FailureAnalyzer.class,
					SpringFactoriesLoader.ArgumentResolver.of(Environment.class, new MockEnvironment())
						.and(BeanFactory.class, new DefaultListableBeanFactory()),
					SpringFactoriesLoader.FailureHandler.handleMessage((message, ex) -> {
					}));
		// Whatever comes first on the class path
		Collections.reverse(analyzers);
		AnnotationAwareOrderComparator.sort(analyzers);
		assertThat(analyzers).extracting((analyzer) -> analyzer.getClass().getSimpleName())
			.containsSubsequence("SwitchedOffFailureAnalyzer", "NoSuchBeanDefinitionFailureAnalyzer");
	}

	@Configuration(proxyBeanMethods = false)
	static class Enqueuing {

		@Bean
		String enqueuing(LowkiqClient client) {
			return client.toString();
		}

	}

	private static FailureAnalysis analyze(ApplicationContextRunner runner) {
		Throwable[] failure = new Throwable[1];
		runner.run((context) -> failure[0] = context.getStartupFailure());
		assertThat(failure[0]).isNotNull();
		return analyze(failure[0]);
	}

	private static FailureAnalysis analyze(Throwable failure) {
		List<FailureAnalyzer> analyzers = SpringFactoriesLoader.forDefaultResourceLocation()
			.load(FailureAnalyzer.class, SpringFactoriesLoader.FailureHandler.handleMessage((message, ex) -> {
			}));
		return analyzers.stream()
			.filter((analyzer) -> analyzer.getClass().getPackageName().startsWith("io.lowkiq"))
			.map((analyzer) -> analyzer.analyze(failure))
			.filter((analysis) -> analysis != null)
			.findFirst()
			.orElseThrow(() -> new AssertionError("Not analyzed", failure));
	}

	@Configuration(proxyBeanMethods = false)
	static class TwoWorkers {

		@Bean
		@LowkiqWorker(queue = "orders")
		Worker<String> one() {
			return (id, payloads) -> {
			};
		}

		@Bean
		@LowkiqWorker(queue = "orders")
		Worker<String> two() {
			return (id, payloads) -> {
			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class RawWorker {

		@Bean
		@LowkiqWorker(queue = "raw")
		Worker<?> raw() {
			return (id, payloads) -> {
			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class NamelessWorker {

		@Bean
		@LowkiqWorker
		Worker<String> nameless() {
			return (id, payloads) -> {
			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class HiddenWorker {

		@Bean
		Worker<String> hidden() {
			return new BadName();
		}

	}

	@LowkiqWorker
	static class NotAWorker {

	}

	@LowkiqWorker(queue = "a queue")
	static class BadName implements Worker<String> {

		@Override
		public void perform(String id, List<String> payloads) {
		}

	}

	@LowkiqWorker(queue = "${no.such.property}")
	static class Unresolved extends BadName {

	}

}
