package io.lowkiq.autoconfigure.kafka;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Stream;

import net.bytebuddy.ByteBuddy;
import net.bytebuddy.description.annotation.AnnotationDescription;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.support.AopUtils;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.DependsOn;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;

import io.lowkiq.LowkiqWorker;
import io.lowkiq.Worker;
import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.admin.SourceStatus;
import io.lowkiq.autoconfigure.LowkiqAdminAutoConfiguration;
import io.lowkiq.autoconfigure.LowkiqClientAutoConfiguration;
import io.lowkiq.autoconfigure.LowkiqRedisAutoConfiguration;
import io.lowkiq.autoconfigure.LowkiqServerAutoConfiguration;
import io.lowkiq.autoconfigure.LowkiqConfigurationException;
import io.lowkiq.testing.MemoryStoreConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;

class LowkiqKafkaAutoConfigurationTests {

	private final ApplicationContextRunner base = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(LowkiqRedisAutoConfiguration.class, LowkiqClientAutoConfiguration.class,
						LowkiqServerAutoConfiguration.class, LowkiqKafkaAutoConfiguration.class))
		.withUserConfiguration(MemoryStoreConfiguration.class)
		.withPropertyValues("spring.kafka.listener.auto-startup=false", "changes.topic=order-changes");

	private final ApplicationContextRunner runner = this.base
		.withConfiguration(AutoConfigurations.of(KafkaAutoConfiguration.class));

	@Test
	void aWorkerNamesItsTopics() {
		this.runner.withUserConfiguration(OrderWorker.class).run((context) -> {
			ConcurrentMessageListenerContainer<?, ?> container = only(context.getBean(KafkaSources.class));
			ContainerProperties properties = container.getContainerProperties();
			assertThat(properties.getTopics()).containsExactly("order-changes");
			assertThat(container.getGroupId()).isEqualTo("lowkiq-orders");
			assertThat(container.getConcurrency()).isEqualTo(3);
			assertThat(container.isRunning()).isFalse();
		});
	}

	@ParameterizedTest
	@ValueSource(classes = { ClassProxies.class, InterfaceProxies.class })
	void aWorkerWithAProxyNamesItsTopicsToo(Class<?> proxies) {
		this.runner.withUserConfiguration(proxies, OrderWorker.class, ArchiveWorker.class).run((context) -> {
			assertThat(AopUtils.isAopProxy(context.getBean("archive"))).isTrue();
			assertThat(context.getBean(KafkaSources.class).all()).extracting(SourceStatus::queue, SourceStatus::topics)
				.containsExactlyInAnyOrder(tuple("orders", List.of("order-changes")),
						tuple("archived-orders", List.of("archive")));
		});
	}

	@Test
	void allTextAttributesHavePlaceholders() {
		this.runner.withUserConfiguration(PlaceholderSource.class)
			.withPropertyValues("queue=mail", "id=#{headers['id']}", "score=timestamp", "group=own", "concurrency=2")
			.run((context) -> {
				KafkaSources sources = context.getBean(KafkaSources.class);
				KafkaSource source = sources.running().get(0).source();
				assertThat(source.queue()).isEqualTo("mail");
				assertThat(source.topics()).containsExactly("order-changes");
				assertThat(source.id()).isEqualTo("#{headers['id']}");
				assertThat(source.score()).isEqualTo("timestamp");
				assertThat(only(sources).getGroupId()).isEqualTo("own");
				assertThat(only(sources).getConcurrency()).isEqualTo(2);
			});
	}

	static Stream<Method> texts() {
		return Stream.of(LowkiqKafkaSource.class.getDeclaredMethods())
			.filter((attribute) -> Set.of(String.class, String[].class).contains(attribute.getReturnType()));
	}

	@ParameterizedTest
	@MethodSource("texts")
	void noPlaceholderIsTakenLiterally(Method attribute) {
		AnnotationDescription.Builder source = AnnotationDescription.Builder.ofType(LowkiqKafkaSource.class);
		source = attribute.getReturnType().isArray() ? source.defineArray("topics", "${no.such.property}")
				: source.defineArray("topics", "changes").define(attribute.getName(), "${no.such.property}");
		Class<?> bean = new ByteBuddy().subclass(Object.class)
			.annotateType(source.build())
			.make()
			.load(getClass().getClassLoader())
			.getLoaded();
		this.runner.withBean("changes", bean)
			.run((context) -> assertThat(context.getStartupFailure()).hasStackTraceContaining(
					attribute.getName() + " of the @LowkiqKafkaSource of bean 'changes' is '${no.such.property}'"));
	}

	@Test
	void aSourceThatTheDefinitionDoesNotShowStopsTheStart() {
		this.runner.withUserConfiguration(HiddenSource.class)
			.run((context) -> assertThat(context.getStartupFailure()).hasMessageContaining(
					"Bean 'hidden' is annotated with @LowkiqKafkaSource, but its definition does not say so"));
	}

	@Configuration(proxyBeanMethods = false)
	static class HiddenSource {

		@Bean
		@DependsOn("lowkiqKafkaSources")
		Object hidden() {
			return new PlaceholderSource();
		}

	}

	@Test
	void theGroupOfTheServiceWithTheQueueIsTheDefault() {
		this.runner.withUserConfiguration(SourceBean.class)
			.withPropertyValues("spring.kafka.consumer.group-id=shop")
			.run((context) -> assertThat(context.getBean(KafkaSources.class).all()).extracting(SourceStatus::groupId)
				.containsExactlyInAnyOrder("shop-stock", "own", "shop-mail"));
	}

	@Test
	void theRegistryOfSpringForKafkaHasTheContainers() {
		this.runner.withUserConfiguration(SourceBean.class).run((context) -> {
			KafkaListenerEndpointRegistry registry = context.getBean(KafkaListenerEndpointRegistry.class);
			assertThat(registry.getListenerContainerIds()).containsExactlyInAnyOrder("lowkiq-kafka-mail",
					"lowkiq-kafka-mail-2", "lowkiq-kafka-stock");
			assertThat(context.getBean(KafkaSources.class).containers()).contains(
					(ConcurrentMessageListenerContainer<?, ?>) registry.getListenerContainer("lowkiq-kafka-mail"));
		});
	}

	@Test
	void adminListsTheSources() {
		this.runner.withConfiguration(AutoConfigurations.of(LowkiqAdminAutoConfiguration.class))
			.withUserConfiguration(OrderWorker.class)
			.run((context) -> {
				LowkiqAdmin admin = context.getBean(LowkiqAdmin.class);
				assertThat(admin.sources()).containsExactly(new SourceStatus("lowkiq-kafka-orders", "orders",
						List.of("order-changes"), "lowkiq-orders", SourceStatus.State.STOPPED, 0, null, List.of()));
				assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> admin.pauseSource("x"))
					.withMessageContaining("Its sources: [lowkiq-kafka-orders]");
			});
	}

	@Test
	void tombstonesThatCannotBeJobsStopTheStart() {
		assertFails(KafkaSource.of("orders", "others").tombstones(Tombstones.AS_NULL),
				"Tombstones of the Kafka source of queue 'orders' are to be jobs (AS_NULL), but JSON null is no payload of type "
						+ Order.class.getName());
	}

	@Test
	void whatThePromiseNeedsIsNotConfigurable() {
		this.runner.withUserConfiguration(OrderWorker.class)
			.withPropertyValues("spring.kafka.consumer.enable-auto-commit=true",
					"spring.kafka.listener.ack-mode=manual", "spring.kafka.listener.async-acks=true",
					"spring.kafka.listener.type=single")
			.run((context) -> {
				ContainerProperties properties = only(context.getBean(KafkaSources.class)).getContainerProperties();
				assertThat(properties.getAckMode()).isEqualTo(ContainerProperties.AckMode.MANUAL);
				assertThat(properties.isAsyncAcks()).isFalse();
				assertThat(properties.isSyncCommits()).isTrue();
				assertThat(properties.getKafkaConsumerProperties()).containsEntry("enable.auto.commit", "false");
			});
	}

	@Test
	void aNewGroupBeginsWithTheFirstRecordUnlessSaidOtherwise() {
		this.runner.withUserConfiguration(OrderWorker.class)
			.run((context) -> assertThat(overrides(context.getBean(KafkaSources.class)))
				.containsEntry("auto.offset.reset", "earliest"));
		this.runner.withUserConfiguration(OrderWorker.class)
			.withPropertyValues("spring.kafka.consumer.auto-offset-reset=latest")
			.run((context) -> assertThat(overrides(context.getBean(KafkaSources.class)))
				.doesNotContainKey("auto.offset.reset"));
	}

	@Test
	void consumersGetBytes() {
		this.runner.withUserConfiguration(OrderWorker.class)
			.run((context) -> assertThat(overrides(context.getBean(KafkaSources.class)))
				.containsEntry("value.deserializer", ByteArrayDeserializer.class.getName())
				.containsEntry("key.deserializer", ByteArrayDeserializer.class.getName()));
	}

	@Test
	void beansAndRepeatedAnnotationsAreSourcesToo() {
		this.runner.withUserConfiguration(SourceBean.class)
			.run((context) -> assertThat(context.getBean(KafkaSources.class).containers())
				.extracting(ConcurrentMessageListenerContainer::getGroupId)
				.containsExactlyInAnyOrder("lowkiq-stock", "own", "lowkiq-mail"));
	}

	@Test
	void withoutSourcesNothingHappens() {
		this.runner.withPropertyValues("spring.kafka.listener.auto-startup=true")
			.run((context) -> assertThat(context.getBean(KafkaSources.class).containers()).isEmpty());
	}

	@Test
	void withoutSourcesKafkaNeedNotBeConfigured() {
		this.base.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("lowkiqKafkaSources"));
	}

	@ParameterizedTest
	@ValueSource(classes = { OrderWorker.class, OneSource.class })
	void sourcesStopTheStartWhereKafkaIsNotConfigured(Class<?> configuration) {
		this.base.withUserConfiguration(configuration)
			.run((context) -> assertThat(context).hasFailed()
				.getFailure()
				.isInstanceOf(LowkiqConfigurationException.class)
				.hasMessageContaining("There are Kafka sources, but Kafka is not configured"));
	}

	@Test
	void anUnknownQueueStopsTheStart() {
		assertFails(KafkaSource.of("nobodys", "changes").payloadType(Order.class),
				"The Kafka source of queue 'nobodys' has nowhere to put its records",
				"spring.kafka.listener.auto-startup=true");
	}

	@Test
	void aQueueWithoutWorkerNeedsAPayloadType() {
		assertFails(KafkaSource.of("nobodys", "changes"),
				"The payload type of the Kafka source of queue 'nobodys' is not known");
	}

	@Test
	void anotherPayloadTypeThanTheWorkersStopsTheStart() {
		assertFails(KafkaSource.of("orders", "others").payloadType(Long.class),
				"The payload type of the Kafka source of queue 'orders' is java.lang.Long, but its worker, "
						+ OrderWorker.class.getName() + ", takes " + Order.class.getName());
	}

	@Test
	void aBadExpressionStopsTheStart() {
		assertFails(KafkaSource.of("orders", "others").id("#{kee}"),
				"The id of the Kafka source of queue 'orders' is '#{kee}', but records have no such property");
	}

	@Test
	void twoSourcesOfAGroupDoNotShareATopic() {
		assertFails(KafkaSource.of("orders", "order-changes"),
				"Two Kafka sources of group 'lowkiq-orders' read topic 'order-changes'");
	}

	@Test
	void badNumbersAndTopicsStopTheStart() {
		assertFails(KafkaSource.of("orders"), "has the topics []");
		assertFails(KafkaSource.of("orders", " "), "has the topics [ ]");
		assertFails(KafkaSource.of("orders", "others").concurrency(0), "is 0; it must be at least 1");
	}

	@Test
	void aDeserializerThatCannotBeMadeStopsTheStart() {
		this.runner.withUserConfiguration(OrderWorker.class)
			.withPropertyValues("spring.kafka.consumer.value-deserializer=" + Order.class.getName())
			.run((context) -> assertThat(context).hasFailed()
				.getFailure()
				.rootCause()
				.hasMessageContaining("The value.deserializer of Kafka sources is class " + Order.class.getName()));
	}

	private void assertFails(KafkaSource source, String message, String... properties) {
		this.runner.withUserConfiguration(OrderWorker.class)
			.withPropertyValues(properties)
			.withBean(KafkaSource.class, () -> source)
			.run((context) -> assertThat(context).hasFailed()
				.getFailure()
				.hasRootCauseInstanceOf(LowkiqConfigurationException.class)
				.rootCause()
				.hasMessageContaining(message));
	}

	private static ConcurrentMessageListenerContainer<?, ?> only(KafkaSources sources) {
		List<ConcurrentMessageListenerContainer<?, ?>> containers = sources.containers();
		assertThat(containers).hasSize(1);
		return containers.get(0);
	}

	private static Properties overrides(KafkaSources sources) {
		return only(sources).getContainerProperties().getKafkaConsumerProperties();
	}

	@LowkiqWorker("orders")
	@LowkiqKafkaSource(topics = "${changes.topic}", concurrency = "3")
	static class OrderWorker implements Worker<Order> {

		@Override
		public void perform(String id, List<Order> payloads) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@LowkiqKafkaSource(topics = "${changes.topic}", queue = "${queue}", id = "${id}", score = "${score}",
			groupId = "${group}", concurrency = "${concurrency}", payloadType = Order.class)
	static class PlaceholderSource {

	}

	@Component("archive")
	@LowkiqWorker("archived-orders")
	@LowkiqKafkaSource(topics = "archive")
	static class ArchiveWorker implements Worker<Order> {

		@Override
		@Transactional
		public void perform(String id, List<Order> payloads) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(proxyTargetClass = true)
	static class ClassProxies {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	static class InterfaceProxies {

	}

	@Configuration(proxyBeanMethods = false)
	@LowkiqKafkaSource(topics = "a", queue = "mail", payloadType = Order.class)
	@LowkiqKafkaSource(topics = "a", queue = "mail", payloadType = Order.class, groupId = "own")
	static class SourceBean {

		@Bean
		KafkaSource stock() {
			return KafkaSource.of("stock", "a").payloadType(Order.class);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OneSource {

		@Bean
		KafkaSource stock() {
			return KafkaSource.of("stock", "a").payloadType(Order.class);
		}

	}

}
