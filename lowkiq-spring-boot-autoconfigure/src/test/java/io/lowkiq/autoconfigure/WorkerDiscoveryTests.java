package io.lowkiq.autoconfigure;

import java.io.IOException;
import java.time.Duration;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.Proxy;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.support.SimpleThreadScope;
import org.springframework.core.ResolvableType;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.SystemEnvironmentPropertySource;

import io.lowkiq.Batch;
import io.lowkiq.BatchWorker;
import io.lowkiq.LowkiqClient;
import io.lowkiq.FailurePolicy;
import io.lowkiq.GatheringPolicy;
import io.lowkiq.GroupPolicy;
import io.lowkiq.Limits;
import io.lowkiq.LowkiqWorker;
import io.lowkiq.QueueWorker;
import io.lowkiq.QueueDeclaration;
import io.lowkiq.RateLimit;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.RetriesExhausted;
import io.lowkiq.UnknownQueueException;
import io.lowkiq.Worker;
import io.lowkiq.WorkerRegistry;
import io.lowkiq.testing.MemoryStoreConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@ExtendWith(OutputCaptureExtension.class)
class WorkerDiscoveryTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LowkiqRedisAutoConfiguration.class,
				LowkiqClientAutoConfiguration.class, LowkiqServerAutoConfiguration.class))
		.withUserConfiguration(MemoryStoreConfiguration.class)
		.withPropertyValues("lowkiq.server.enabled=false");

	@Test
	void findsAnAnnotatedClass() {
		this.runner.withUserConfiguration(OrderWorker.class).run((context) -> {
			RegisteredWorker worker = only(context);
			assertThat(worker.queue()).isEqualTo("OrderWorker");
			assertThat(worker.workerClass()).isEqualTo(OrderWorker.class);
			assertThat(worker.payloadType()).isEqualTo(Order.class);
			assertThat(worker.settings()).isEqualTo(RegisteredWorker.Settings.DEFAULTS);
			assertThat(worker.worker().get()).isSameAs(context.getBean(OrderWorker.class));
		});
	}

	@Test
	void warnsOfWorkersInAChildContext(CapturedOutput output) {
		this.runner.run((context) -> {
			try (AnnotationConfigApplicationContext child = new AnnotationConfigApplicationContext()) {
				child.setParent(context);
				child.setDisplayName("web");
				child.register(OrderWorker.class);
				child.refresh();
				assertThat(output).contains("These workers are beans of the child context 'web'")
					.contains("Bean 'workerDiscoveryTests.OrderWorker'");
			}
		});
	}

	@Test
	void childContextsWithoutWorkersAreFine(CapturedOutput output) {
		this.runner.run((context) -> {
			try (AnnotationConfigApplicationContext child = new AnnotationConfigApplicationContext()) {
				child.setParent(context);
				child.refresh();
				assertThat(output).doesNotContain("These workers are beans of the child context");
			}
		});
	}

	@Test
	void saysThatAnAnnotatedClassIsNoBean() {
		this.runner.run((context) -> assertThatExceptionOfType(UnknownQueueException.class)
			.isThrownBy(() -> context.getBean(LowkiqClient.class).enqueue(OrderWorker.class, "42", new Order(1)))
			.withMessageContaining("is annotated with @LowkiqWorker, but no bean of this application"));
	}

	@Test
	void takesTheSettingsOfTheAnnotation() {
		assertThat(discovered(MailWorker.class).settings())
			.isEqualTo(new RegisteredWorker.Settings(24, 10, 3, 1_000, 1, 2));
	}

	@Test
	void propertiesOverrideTheAnnotation() {
		RegisteredWorker worker = discovered(MailWorker.class, "lowkiq.workers.mails.shards=7",
				"lowkiq.workers.mails.batch-size=8", "lowkiq.workers.mails.max-retry-count=9",
				"lowkiq.workers.mails.max-payloads=10", "lowkiq.workers.mails.scheduler-weight=11",
				"lowkiq.workers.mails.shard-concurrency=12");
		assertThat(worker.settings()).isEqualTo(new RegisteredWorker.Settings(7, 8, 9, 10, 11, 12));
	}

	@Test
	void aQueueIsSharedWithOtherApplicationsIfThePropertySaysSo() {
		assertThat(discovered(MailWorker.class, "lowkiq.workers.mails.shared=true").settings().shared()).isTrue();
	}

	@Test
	void takesThePolicyOfFailuresOfTheAnnotation() {
		assertThat(discovered(StrictWorker.class).settings().failures())
			.isEqualTo(new FailurePolicy(Set.of(IllegalArgumentException.class), Set.of(IllegalStateException.class),
					RetriesExhausted.HOLD, FailurePolicy.DEFAULT_UNREADABLE_GRACE, Duration.ofSeconds(30)));
	}

	@Test
	void propertiesOverrideThePolicyOfFailures() {
		RegisteredWorker worker = discovered(StrictWorker.class,
				"lowkiq.workers.strict.bury-on=java.io.IOException,java.lang.ArithmeticException",
				"lowkiq.workers.strict.discard-on=", "lowkiq.workers.strict.retries-exhausted=bury-all");
		assertThat(worker.settings().failures())
			.isEqualTo(new FailurePolicy(Set.of(IOException.class, ArithmeticException.class), Set.of(),
					RetriesExhausted.BURY_ALL, FailurePolicy.DEFAULT_UNREADABLE_GRACE, Duration.ofSeconds(30)));
	}

	@Test
	void takesThePolicyOfGatheringOfTheAnnotation() {
		assertThat(discovered(GatheringWorker.class).settings().gathering()).isEqualTo(new GatheringPolicy(
				Duration.ofMillis(500), Duration.ofSeconds(5), Duration.ofSeconds(10), true, true, true));
	}

	@Test
	void propertiesOverrideThePolicyOfGathering() {
		this.runner.withUserConfiguration(GatheringWorker.class)
			.withPropertyValues("lowkiq.workers.gathering.debounce=0", "lowkiq.workers.gathering.max-wait=0",
					"lowkiq.workers.gathering.min-interval=1s", "lowkiq.workers.gathering.keep=all",
					"lowkiq.workers.gathering.equal-payloads=earliest",
					"lowkiq.workers.gathering.while-retry-waits=wait", "lowkiq.workers.gathering.unreadable-grace=3m",
					"lowkiq.workers.gathering.perform-timeout=20s")
			.run((context) -> {
				assertThat(only(context).settings().gathering()).isEqualTo(
						new GatheringPolicy(Duration.ZERO, Duration.ZERO, Duration.ofSeconds(1), false, false, false));
				assertThat(only(context).settings().failures().unreadableGrace()).isEqualTo(Duration.ofMinutes(3));
				assertThat(only(context).settings().failures().performTimeout()).isEqualTo(Duration.ofSeconds(20));
			});
	}

	@LowkiqWorker(queue = "gathering", debounce = "500ms", maxWait = "5s", minInterval = "10s",
			keep = LowkiqWorker.Keep.LATEST, equalPayloads = LowkiqWorker.EqualPayloads.LATEST,
			whileRetryWaits = LowkiqWorker.WhileRetryWaits.RETRY_NOW)
	static class GatheringWorker extends IdleWorker {

	}

	@Test
	void takesTheGroupsOfTheAnnotation() {
		assertThat(discovered(GroupedWorker.class).settings().groups()).isEqualTo(new GroupPolicy(":"));
	}

	@Test
	void propertiesOverrideTheGroups() {
		assertThat(discovered(GroupedWorker.class, "lowkiq.workers.grouped.group.separator=--",
				"lowkiq.workers.grouped.group.max-share=80%", "lowkiq.workers.grouped.group.weights.Acme=3",
				"lowkiq.workers.grouped.group.weights.[b.c]=4", "lowkiq.workers.grouped.group.weights[7]=5")
			.settings()
			.groups()).isEqualTo(new GroupPolicy("--", 80, Map.of("Acme", 3, "b.c", 4, "7", 5)));
		assertThat(discovered(GroupedWorker.class, "lowkiq.workers.grouped.one-shard-per-group=true").declaration())
			.isEqualTo(new QueueDeclaration("grouped", 5, ":"));
		assertThat(discovered(GroupedWorker.class).declaration()).isEqualTo(new QueueDeclaration("grouped", 5));
		assertThat(discovered(GroupedWorker.class, "lowkiq.workers.grouped.group.separator=").settings().groups())
			.isEqualTo(GroupPolicy.NONE);
	}

	@ParameterizedTest
	@CsvSource({ "lowkiq.workers.mail.out.groups, group.separator", "lowkiq.queues.mail.out.groups, group.separator",
			"lowkiq.workers.mail.out.weight, scheduler-weight" })
	void aFormerNameIsRefusedWithThePresentOne(String former, String present) {
		String message = "%s is %s now".formatted(former, former.replaceFirst("[^.]+$", present));
		this.runner.withPropertyValues(former + "=:")
			.run((context) -> assertThat(context).getFailure().rootCause().hasMessage(message));
		Map<String, Object> variable = Map.of(former.replace('.', '_').toUpperCase(Locale.ROOT), ":");
		this.runner
			.withInitializer((context) -> context.getEnvironment()
				.getPropertySources()
				.addFirst(new SystemEnvironmentPropertySource("systemEnvironment", variable)))
			.run((context) -> assertThat(context).getFailure().rootCause().hasMessage(message));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', value = { "100/s | 100 | 1000 | 0", "500/h | 500 | 3600000 | 0",
			"2000/day, burst 50 | 2000 | 86400000 | 50", "' 6 / min, burst 20 ' | 6 | 60000 | 20" })
	void takesLimits(String rate, int starts, int millis, int burst) {
		assertThat(discovered(GroupedWorker.class, "lowkiq.workers.grouped.concurrency=10",
				"lowkiq.workers.grouped.rate=" + rate)
			.settings()
			.limits()).isEqualTo(new Limits(10, new RateLimit(starts, Duration.ofMillis(millis), burst)));
		assertThat(discovered(GroupedWorker.class).settings().limits()).isEqualTo(Limits.NONE);
		assertThat(discovered(GroupedWorker.class, "lowkiq.workers.grouped.one-shard-per-group=true",
				"lowkiq.workers.grouped.group.concurrency=1", "lowkiq.workers.grouped.group.rate=" + rate)
			.settings()
			.groups()
			.limits()).isEqualTo(new Limits(1, new RateLimit(starts, Duration.ofMillis(millis), burst)));
	}

	@LowkiqWorker(queue = "grouped", groupSeparator = ":")
	static class GroupedWorker extends IdleWorker {

	}

	@LowkiqWorker(queue = "strict", buryOn = IllegalArgumentException.class, discardOn = IllegalStateException.class,
			retriesExhausted = RetriesExhausted.HOLD, performTimeout = "30s")
	static class StrictWorker extends IdleWorker {

	}

	@Test
	void aPropertyLeavesTheOthersAlone() {
		assertThat(discovered(MailWorker.class, "lowkiq.workers.mails.shards=7").settings())
			.isEqualTo(new RegisteredWorker.Settings(7, 10, 3, 1_000, 1, 2));
	}

	@Test
	void environmentVariablesOverrideAQueueWithUpperCase() {
		this.runner.withUserConfiguration(OrderWorker.class)
			.withInitializer((context) -> context.getEnvironment()
				.getPropertySources()
				.addFirst(new SystemEnvironmentPropertySource("test-systemEnvironment",
						Map.of("LOWKIQ_WORKERS_ORDERWORKER_SHARDS", "7"))))
			.run((context) -> assertThat(only(context).settings().shards()).isEqualTo(7));
	}

	@Test
	void aQueueThatLooksAlikeKeepsItsOwnSettings(CapturedOutput output) {
		this.runner.withUserConfiguration(LookAlikes.class)
			.withPropertyValues("lowkiq.workers.order-items.shards=7", "lowkiq.workers.orderitems.shards=8")
			.run((context) -> {
				WorkerRegistry registry = context.getBean(WorkerRegistry.class);
				assertThat(registry.ofQueue("order-items").orElseThrow().settings().shards()).isEqualTo(7);
				assertThat(registry.ofQueue("orderitems").orElseThrow().settings().shards()).isEqualTo(8);
				assertThat(output).doesNotContain("no worker of this application serves");
			});
	}

	@ParameterizedTest
	@ValueSource(strings = { "lowkiq.workers.[mail.out].shards", "lowkiq.workers.mail.out.shards",
			"lowkiq.workers.mailOut.shards" })
	void aNameWithADotMayBeWrittenAsItIs(String property) {
		assertThat(discovered(DottedWorker.class, property + "=7").settings().shards()).isEqualTo(7);
	}

	@ParameterizedTest
	@ValueSource(strings = { "lowkiq.workers.[mail_out].shards", "lowkiq.workers.mail_out.shards" })
	void aNameWithAnUnderscoreMayBeWrittenAsItIs(String property) {
		assertThat(discovered(UnderscoredWorker.class, property + "=7").settings().shards()).isEqualTo(7);
	}

	@ParameterizedTest
	@CsvSource({ "[mail.out], LOWKIQ_WORKERS_MAIL_OUT_", "mail.out, LOWKIQ_WORKERS_MAILOUT_" })
	void theEnvironmentWinsOverAFileAlsoForANameWithADot(String name, String variable) {
		this.runner.withUserConfiguration(DottedWorker.class).withInitializer((context) -> {
			MutablePropertySources sources = context.getEnvironment().getPropertySources();
			sources.addLast(new MapPropertySource("file",
					Map.of("lowkiq.workers." + name + ".shards", "7", "lowkiq.workers." + name + ".scheduler-weight",
							"8", "lowkiq.workers." + name + ".bury-on[0]", "java.io.IOException",
							"lowkiq.workers." + name + ".bury-on[1]", "java.io.EOFException")));
			sources.addFirst(new SystemEnvironmentPropertySource("test-systemEnvironment", Map.of(variable + "SHARDS",
					"9", variable + "MAX_RETRY_COUNT", "3", variable + "BURYON_0", "java.lang.ArithmeticException")));
		}).run((context) -> {
			RegisteredWorker.Settings settings = only(context).settings();
			assertThat(settings.shards()).isEqualTo(9);
			assertThat(settings.schedulerWeight()).isEqualTo(8);
			assertThat(settings.maxRetryCount()).isEqualTo(3);
			assertThat(settings.failures().buryOn()).containsExactly(ArithmeticException.class);
		});
	}

	@Test
	void placeholdersInSettingsAreResolved() {
		RegisteredWorker worker = discovered(DottedWorker.class, "lowkiq.workers.mail.out.shards=${n}", "n=7");
		assertThat(worker.settings().shards()).isEqualTo(7);
	}

	@Test
	void aBadValueNamesItsProperty() {
		this.runner.withUserConfiguration(DottedWorker.class)
			.withPropertyValues("lowkiq.workers.mail.out.shards=many")
			.run((context) -> assertThat(context.getStartupFailure())
				.hasStackTraceContaining("Failed to bind properties under 'lowkiq.workers[mail.out].shards'"));
	}

	@Test
	void warnsOfPropertiesThatNobodyKnows(CapturedOutput output) {
		this.runner.withUserConfiguration(DottedWorker.class)
			.withPropertyValues("lowkiq.servr.threads=7", "lowkiq.server.thread=7", "lowkiq.workers.mail.out.shard=7",
					"lowkiq.dashboard.path=/x", "lowkiq.outbox.poll-interval=2s", "lowkiq.server.threads=8",
					"lowkiq.workers.mail.out.shards=9")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(output.getOut().lines().filter((line) -> line.contains("Lowkiq does not know")))
					.singleElement()
					.asString()
					.contains("lowkiq.servr.threads")
					.contains("lowkiq.server.thread ")
					.contains("lowkiq.workers.mail.out.shard")
					.doesNotContain("dashboard")
					.doesNotContain("outbox")
					.doesNotContain("lowkiq.server.threads (")
					.doesNotContain("mail.out.shards (");
			});
	}

	@Test
	void aMisspeltPropertyIsNamedWithItsOriginAndWhatWasMeant(CapturedOutput output) {
		this.runner.withUserConfiguration(DottedWorker.class)
			.withPropertyValues("lowkiq.server.theads=7", "lowkiq.enable=true", "lowkiq.workers.mail.out.max-retries=3",
					"lowkiq.worker-defaults.shards=5", "lowkiq.server.quux=1")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(output).contains(
						"lowkiq.server.theads (\"lowkiq.server.theads\" from property source \"test\"), did you mean lowkiq.server.threads?")
					.containsPattern("lowkiq.enable \\([^;]*\\), did you mean lowkiq.enabled\\?")
					.containsPattern(
							"max-retries \\(\"[^;]*from property source \"test\"\\), did you mean lowkiq.workers.mail.out.max-retry-count\\?")
					.containsPattern(
							"lowkiq.worker-defaults.shards \\([^;]*\\), did you mean lowkiq.workers.<queue>.shards\\?")
					.containsPattern("lowkiq.server.quux \\([^;]*\\)(;|\\R)");
			});
	}

	@Test
	void saysNothingWhereAllPropertiesAreKnown(CapturedOutput output) {
		this.runner.withUserConfiguration(DottedWorker.class)
			.withInitializer((context) -> context.getEnvironment()
				.getPropertySources()
				.addFirst(new SystemEnvironmentPropertySource("systemEnvironment",
						Map.of("LOWKIQ_KEY_PREFIX", "x", "LOWKIQ_SERVER_FETCH_AHEAD", "7", "LOWKIQ_REDIS_SERVICE_HOST",
								"10.0.0.1", "LOWKIQ_REDIS_PORT_6379_TCP_ADDR", "10.0.0.1"))))
			.withPropertyValues("lowkiq.server.threads=7", "lowkiq.workers.mail.out.bury-on[0]=java.io.IOException")
			.run((context) -> assertThat(output).doesNotContain("does not know"));
	}

	@Test
	void warnsOfABatchSizeOfAWorkerThatTakesNoBatches(CapturedOutput output) {
		this.runner.withUserConfiguration(OrderWorker.class, MailWorker.class)
			.withPropertyValues("lowkiq.workers.OrderWorker.batch-size=7")
			.run((context) -> assertThat(output).contains("Queue 'OrderWorker' has a batch size of 7, but Bean")
				.doesNotContain("Queue 'mails' has a batch size"));
	}

	@Test
	void warnsOfSettingsOfAnUnknownQueue(CapturedOutput output) {
		this.runner.withUserConfiguration(OrderWorker.class)
			.withPropertyValues("lowkiq.workers.ordrWorker.shards=7")
			.run((context) -> assertThat(output).contains("no worker of this application serves: [ordrWorker]")
				.contains("Its queues are [OrderWorker]"));
	}

	@Test
	void findsALambda() {
		this.runner.withUserConfiguration(LambdaConfiguration.class).run((context) -> {
			RegisteredWorker worker = only(context);
			assertThat(worker.queue()).isEqualTo("lambdas");
			assertThat(worker.payloadType()).isEqualTo(Order.class);
			assertThat(worker.settings().shards()).isEqualTo(3);
			assertThat(worker.worker().get()).isSameAs(context.getBean("lambda"));
		});
	}

	@Test
	void findsABeanMethodThatReturnsAnAnnotatedClass() {
		this.runner.withBean("orders", OrderWorker.class, OrderWorker::new)
			.run((context) -> assertThat(only(context).workerClass()).isEqualTo(OrderWorker.class));
	}

	@Test
	void theAnnotationOfTheMethodWins() {
		assertThat(discovered(MethodOverClass.class).queue()).isEqualTo("method");
	}

	@Test
	void findsACglibProxiedWorker() {
		this.runner.withUserConfiguration(CglibProxies.class, OrderWorker.class).run((context) -> {
			RegisteredWorker worker = only(context);
			assertThat(worker.workerClass()).isEqualTo(OrderWorker.class);
			assertThat(worker.payloadType()).isEqualTo(Order.class);
			assertThat(AopUtils.isCglibProxy(worker.worker().get())).isTrue();
		});
	}

	@Test
	void findsAJdkProxiedWorker() {
		this.runner.withUserConfiguration(JdkProxies.class, OrderWorker.class).run((context) -> {
			RegisteredWorker worker = only(context);
			assertThat(worker.workerClass()).isEqualTo(OrderWorker.class);
			assertThat(worker.payloadType()).isEqualTo(Order.class);
			assertThat(Proxy.isProxyClass(worker.worker().get().getClass())).isTrue();
		});
	}

	@Test
	void discoveryAfterInstantiationGivesTheSameAnswer() {
		this.runner.withUserConfiguration(JdkProxies.class, OrderWorker.class, LambdaConfiguration.class)
			.run((context) -> {
				WorkerRegistry again = context.getBean(WorkerDiscovery.class).discover();
				assertThat(again.all()).extracting(RegisteredWorker::queue, RegisteredWorker::payloadType)
					.containsExactlyElementsOf(context.getBean(WorkerRegistry.class)
						.all()
						.stream()
						.map((worker) -> org.assertj.core.groups.Tuple.tuple(worker.queue(), worker.payloadType()))
						.toList());
			});
	}

	@Test
	void aLazyWorkerStaysLazyUntilItIsCalled() {
		this.runner.withUserConfiguration(LazyConfiguration.class).run((context) -> {
			AtomicInteger created = context.getBean(AtomicInteger.class);
			RegisteredWorker worker = only(context);
			assertThat(created).hasValue(0);
			assertThat(worker.worker().get()).isInstanceOf(OrderWorker.class);
			assertThat(created).hasValue(1);
		});
	}

	@Test
	void oneClassMayServeTwoQueues() {
		this.runner.withUserConfiguration(TwoQueues.class).run((context) -> {
			assertThat(context).hasNotFailed();
			LowkiqClient client = context.getBean(LowkiqClient.class);
			client.enqueue("archive", "42", new Order(1));
			assertThatExceptionOfType(UnknownQueueException.class)
				.isThrownBy(() -> client.enqueue(OrderWorker.class, "42", new Order(1)))
				.withMessageContaining("serves several queues: orders, archive");
		});
	}

	@Configuration(proxyBeanMethods = false)
	static class TwoQueues {

		@Bean
		@LowkiqWorker("orders")
		OrderWorker orders() {
			return new OrderWorker();
		}

		@Bean
		@LowkiqWorker("archive")
		OrderWorker archive() {
			return new OrderWorker();
		}

	}

	@Test
	void aScopedProxyIsFoundOnce() {
		this.runner.withUserConfiguration(ScopedConfiguration.class).run((context) -> {
			RegisteredWorker worker = only(context);
			assertThat(worker.workerClass()).isEqualTo(OrderWorker.class);
			assertThat(worker.payloadType()).isEqualTo(Order.class);
			assertThat(AopUtils.isAopProxy(worker.worker().get())).isTrue();
		});
	}

	@Test
	void findsTheProductOfAFactoryBean() {
		this.runner.withUserConfiguration(FactoryBeanConfiguration.class).run((context) -> {
			RegisteredWorker worker = only(context);
			assertThat(worker.workerClass()).isEqualTo(OrderWorker.class);
			assertThat(worker.worker().get()).isInstanceOf(OrderWorker.class);
		});
	}

	@Test
	void findsARegisteredSingleton() {
		this.runner
			.withInitializer((context) -> context.getBeanFactory().registerSingleton("orders", new OrderWorker()))
			.run((context) -> assertThat(only(context).workerClass()).isEqualTo(OrderWorker.class));
	}

	@Test
	void findsAnAnnotationOfTheUsersOwn() {
		assertThat(discovered(ComposedWorker.class).settings().shards()).isEqualTo(9);
	}

	@Test
	void theQueueAndDurationsHavePlaceholders() {
		this.runner.withUserConfiguration(PlaceholderWorker.class)
			.withPropertyValues("my.queue=from-property", "timeout=30s", "quiet=500ms", "wait=5s", "grace=1m")
			.run((context) -> {
				assertThat(only(context).queue()).isEqualTo("from-property");
				RegisteredWorker.Settings settings = only(context).settings();
				assertThat(settings.failures().performTimeout()).isEqualTo(Duration.ofSeconds(30));
				assertThat(settings.failures().unreadableGrace()).isEqualTo(Duration.ofMinutes(1));
				assertThat(settings.gathering().debounce()).isEqualTo(Duration.ofMillis(500));
				assertThat(settings.gathering().maxWait()).isEqualTo(Duration.ofSeconds(5));
				assertThat(settings.gathering().minInterval()).isEqualTo(Duration.ofSeconds(10));
			});
	}

	@LowkiqWorker(queue = "${my.queue}", performTimeout = "${timeout}", unreadableGrace = "${grace}",
			debounce = "${quiet}", maxWait = "${wait}", minInterval = "${interval:10s}")
	static class PlaceholderWorker extends IdleWorker {

	}

	@ParameterizedTest
	@ValueSource(classes = { RequestWorker.class, ProxiedRequestWorker.class, NowhereWorker.class })
	void aScopeThatRunsAreNotInStopsTheStart(Class<?> worker) {
		this.runner.withUserConfiguration(worker)
			.withInitializer((context) -> context.getBeanFactory().registerScope("request", new SimpleThreadScope()))
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.isInstanceOf(LowkiqConfigurationException.class)
				.hasMessageContaining("has the scope '%s', which"
					.formatted((worker == NowhereWorker.class) ? "nowhere" : "request")));
	}

	@Test
	void otherRegisteredScopesAreUsed() {
		this.runner.withUserConfiguration(NowhereWorker.class)
			.withInitializer((context) -> context.getBeanFactory().registerScope("nowhere", new SimpleThreadScope()))
			.run((context) -> assertThat(only(context).queue()).isEqualTo("nowhere"));
	}

	@Test
	void eachRunGetsAPrototypeOfItsOwn() {
		this.runner.withUserConfiguration(PrototypeWorker.class).run((context) -> {
			RegisteredWorker worker = only(context);
			assertThat(worker.worker().get()).isNotSameAs(worker.worker().get());
		});
	}

	@LowkiqWorker("request")
	@Scope("request")
	static class RequestWorker extends IdleWorker {

	}

	@LowkiqWorker("proxied-request")
	@Scope(scopeName = "request", proxyMode = ScopedProxyMode.TARGET_CLASS)
	static class ProxiedRequestWorker extends RequestWorker {

	}

	@LowkiqWorker("nowhere")
	@Scope("nowhere")
	static class NowhereWorker extends RequestWorker {

	}

	@LowkiqWorker("prototypes")
	@Scope("prototype")
	static class PrototypeWorker extends RequestWorker {

	}

	@Test
	void findsTheStereotypeByScanning() {
		try (var context = new AnnotationConfigApplicationContext()) {
			context.scan("io.lowkiq.autoconfigure.scanned");
			context.refresh();
			assertThat(context.getBeanNamesForType(QueueWorker.class)).containsExactlyInAnyOrder("namedByTheAnnotation",
					"namedQueueWorker");
			WorkerRegistry registry = new WorkerDiscovery(context.getBeanFactory(),
					new QueueSettings(
							new QueueProperties<>(context.getEnvironment(), "lowkiq.workers",
									LowkiqProperties.Worker.class),
							LowkiqPropertiesTests.bind(Map.of()).workerDefaults(), null),
					new Schedules(context.getBeanFactory(), InstantSource.system()))
				.discover();
			assertThat(registry.all()).extracting(RegisteredWorker::queue)
				.containsExactlyInAnyOrder("ScannedWorker", "named");
		}
	}

	@Test
	void findsThePayloadTypeBehindGenericSuperclasses() {
		this.runner.withUserConfiguration(ListWorker.class)
			.run((context) -> assertThat(ResolvableType.forType(only(context).payloadType()))
				.hasToString("java.util.List<" + Order.class.getName() + ">"));
	}

	@Test
	void findsThePayloadTypeOfAnArray() {
		assertThat(discovered(ArrayWorker.class).payloadType()).isEqualTo(Order[].class);
	}

	@Test
	void aWorkerMayHaveTheClientInjected() {
		this.runner.withUserConfiguration(EnqueueingWorker.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean(EnqueueingWorker.class).client).isSameAs(context.getBean(LowkiqClient.class));
		});
	}

	@Test
	void findsScannedWorkersThatAreBeingCreatedAsTheyAskForTheClient() {
		try (var context = new AnnotationConfigApplicationContext()) {
			TestPropertyValues.of("lowkiq.server.enabled=false").applyTo(context);
			context.scan("io.lowkiq.autoconfigure.enqueuing");
			context.register(MemoryStoreConfiguration.class, LowkiqRedisAutoConfiguration.class,
					LowkiqClientAutoConfiguration.class, LowkiqServerAutoConfiguration.class);
			context.refresh();
			WorkerRegistry registry = context.getBean(WorkerRegistry.class);
			assertThat(registry.all()).extracting(RegisteredWorker::queue)
				.containsExactlyInAnyOrder("invoices", "orders", "shipments");
			assertThat(registry.all()).allSatisfy(
					(worker) -> assertThat(worker.worker().get()).isSameAs(context.getBean(worker.workerClass())));
		}
	}

	@Test
	void failsOnAWorkerOfBothKinds() {
		assertRefused("implements Worker and BatchWorker", BothWorker.class);
	}

	@Test
	void failsOnATypeVariable() {
		assertRefused("can't be determined", GenericWorker.class);
	}

	/** The only worker of an application, which has ended. */
	private RegisteredWorker discovered(Class<?> configuration, String... properties) {
		AtomicReference<RegisteredWorker> worker = new AtomicReference<>();
		this.runner.withUserConfiguration(configuration)
			.withPropertyValues(properties)
			.run((context) -> worker.set(only(context)));
		return worker.get();
	}

	private void assertRefused(String message, Class<?> configuration) {
		this.runner.withUserConfiguration(configuration)
			.run((context) -> assertThat(context.getStartupFailure()).rootCause().hasMessageContaining(message));
	}

	private static RegisteredWorker only(AssertableApplicationContext context) {
		assertThat(context).hasNotFailed();
		return assertThat(context.getBean(WorkerRegistry.class).all()).singleElement().actual();
	}

	record Order(long version) {
	}

	@LowkiqWorker
	static class OrderWorker extends IdleWorker {

	}

	abstract static class IdleWorker implements Worker<Order> {

		@Override
		public void perform(String id, List<Order> payloads) {
		}

	}

	@LowkiqWorker(queue = "mails", shards = 24, batchSize = 10, maxRetryCount = 3, shardConcurrency = 2)
	static class MailWorker implements BatchWorker<String> {

		@Override
		public void perform(Batch<String> batch) {
		}

	}

	@LowkiqWorker(queue = "mail.out")
	static class DottedWorker extends OrderWorker {

	}

	@LowkiqWorker("mail_out")
	static class UnderscoredWorker extends OrderWorker {

	}

	@Configuration(proxyBeanMethods = false)
	static class LookAlikes {

		@Bean
		@LowkiqWorker(queue = "order-items")
		Worker<Order> one() {
			return (id, payloads) -> {
			};
		}

		@Bean
		@LowkiqWorker(queue = "orderitems")
		Worker<Order> other() {
			return (id, payloads) -> {
			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class LambdaConfiguration {

		@Bean
		@LowkiqWorker(queue = "lambdas", shards = 3)
		Worker<Order> lambda() {
			return (id, payloads) -> {
			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class MethodOverClass {

		@Bean
		@LowkiqWorker(queue = "method")
		OrderWorker orders() {
			return new OrderWorker();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class LazyConfiguration {

		@Bean
		AtomicInteger created() {
			return new AtomicInteger();
		}

		@Bean
		@Lazy
		@LowkiqWorker
		OrderWorker orders(AtomicInteger created) {
			created.incrementAndGet();
			return new OrderWorker();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ScopedConfiguration {

		@Bean
		@Scope(scopeName = ConfigurableBeanFactory.SCOPE_PROTOTYPE, proxyMode = ScopedProxyMode.TARGET_CLASS)
		OrderWorker orders() {
			return new OrderWorker();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class FactoryBeanConfiguration {

		@Bean
		OrderWorkerFactory orders() {
			return new OrderWorkerFactory();
		}

	}

	static class OrderWorkerFactory implements FactoryBean<OrderWorker> {

		@Override
		public OrderWorker getObject() {
			return new OrderWorker();
		}

		@Override
		public Class<?> getObjectType() {
			return OrderWorker.class;
		}

	}

	@Target(ElementType.TYPE)
	@Retention(RetentionPolicy.RUNTIME)
	@LowkiqWorker(shards = 9)
	@interface NineShards {

	}

	@NineShards
	static class ComposedWorker extends IdleWorker {

	}

	abstract static class ListsOf<T> implements Worker<List<T>> {

		@Override
		public void perform(String id, List<List<T>> payloads) {
		}

	}

	@LowkiqWorker
	static class ListWorker extends ListsOf<Order> {

	}

	@LowkiqWorker
	static class ArrayWorker implements Worker<Order[]> {

		@Override
		public void perform(String id, List<Order[]> payloads) {
		}

	}

	@LowkiqWorker
	static class GenericWorker<T> implements Worker<T> {

		@Override
		public void perform(String id, List<T> payloads) {
		}

	}

	@LowkiqWorker
	static class EnqueueingWorker extends IdleWorker {

		final LowkiqClient client;

		EnqueueingWorker(LowkiqClient client) {
			this.client = client;
		}

	}

	@LowkiqWorker
	static class BothWorker implements Worker<Order>, BatchWorker<Order> {

		@Override
		public void perform(String id, List<Order> payloads) {
		}

		@Override
		public void perform(Batch<Order> batch) {
		}

	}

	static class CglibProxies implements BeanPostProcessor {

		@Override
		public Object postProcessAfterInitialization(Object bean, String beanName) {
			if (!(bean instanceof QueueWorker)) {
				return bean;
			}
			ProxyFactory factory = new ProxyFactory(bean);
			factory.setProxyTargetClass(true);
			return factory.getProxy();
		}

	}

	static class JdkProxies implements BeanPostProcessor {

		@Override
		public Object postProcessAfterInitialization(Object bean, String beanName) {
			return (bean instanceof QueueWorker) ? new ProxyFactory(bean).getProxy() : bean;
		}

	}

}
