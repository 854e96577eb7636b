package io.lowkiq.autoconfigure;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.scheduling.annotation.Async;
import org.springframework.util.ReflectionUtils;

import io.lowkiq.Batch;
import io.lowkiq.BatchWorker;
import io.lowkiq.InvalidQueueException;
import io.lowkiq.LowkiqSchedule;
import io.lowkiq.PayloadWorker;
import io.lowkiq.QueueWorker;
import io.lowkiq.RegisteredWorker;
import io.lowkiq.Worker;
import io.lowkiq.WorkerRegistry;

/**
 * Makes the registry out of the annotated beans, without instantiating them: a worker may
 * have the client injected that needs the registry.
 */
public class WorkerDiscovery implements SmartInitializingSingleton {

	private static final Logger logger = LoggerFactory.getLogger(WorkerDiscovery.class);

	private static final List<Class<?>> WORKERS = List.of(Worker.class, PayloadWorker.class, BatchWorker.class);

	/** Scopes that belong to the thread of a caller. */
	private static final Set<String> OF_CALLERS = Set.of("request", "session", "websocket");

	/** The last parameter of a suspend function of Kotlin. */
	private static final String CONTINUATION = "kotlin.coroutines.Continuation";

	private final ConfigurableListableBeanFactory beanFactory;

	private final WorkerBeans workerBeans;

	private final QueueSettings settings;

	private final Schedules schedules;

	WorkerDiscovery(ConfigurableListableBeanFactory beanFactory, QueueSettings settings, Schedules schedules) {
		this.beanFactory = beanFactory;
		this.schedules = schedules;
		this.workerBeans = new WorkerBeans(beanFactory);
		this.settings = settings;
	}

	@Override
	public void afterSingletonsInstantiated() {
		this.workerBeans.failOnHidden(this.workerBeans.find());
	}

	public Optional<String> queueOf(String bean) {
		return Optional.ofNullable(this.workerBeans.find(bean)).map(this::resolved).map(this::queue);
	}

	/** An annotation of a bean with the placeholders of all its texts resolved. */
	public <A extends Annotation> A resolve(A annotation, String bean) {
		Class<? extends Annotation> type = annotation.annotationType();
		Map<String, Object> attributes = AnnotationUtils.getAnnotationAttributes(annotation);
		attributes.replaceAll((name, value) -> {
			UnaryOperator<String> resolver = (text) -> resolve(text,
					"%s of the @%s of %s".formatted(name, type.getSimpleName(), bean));
			return (value instanceof String text) ? resolver.apply(text)
					: (value instanceof String[] texts) ? Stream.of(texts).map(resolver).toArray(String[]::new) : value;
		});
		@SuppressWarnings("unchecked")
		A resolved = (A) AnnotationUtils.synthesizeAnnotation(attributes, type, null);
		return resolved;
	}

	private String resolve(String text, String attribute) {
		try {
			String resolved = Objects.requireNonNullElse(this.beanFactory.resolveEmbeddedValue(text), "");
			if (!resolved.contains("${")) {
				return resolved;
			}
		}
		catch (IllegalArgumentException ex) {
			// Said below, as where placeholders that are not set are left as they are
		}
		throw new LowkiqConfigurationException("%s is '%s', which can't be resolved".formatted(attribute, text),
				"Set the property, or give it a default: ${name:default}");
	}

	private WorkerBean resolved(WorkerBean bean) {
		if (bean.annotation().beanName().contains("${")) {
			throw new LowkiqConfigurationException(
					"beanName of the @LowkiqWorker of %s has a placeholder, which Spring takes literally"
						.formatted(bean.describe()),
					"Write the name");
		}
		Set<LowkiqSchedule> schedules = bean.schedules()
			.stream()
			.map((schedule) -> resolve(schedule, bean.describe()))
			.collect(Collectors.toCollection(LinkedHashSet::new));
		return new WorkerBean(bean.name(), resolve(bean.annotation(), bean.describe()), schedules, bean.type(),
				bean.userClass(), bean.scope());
	}

	WorkerRegistry discover() {
		Map<String, WorkerBean> byQueue = new LinkedHashMap<>();
		for (WorkerBean bean : this.workerBeans.find().stream().map(this::resolved).toList()) {
			failOnSuspend(bean);
			checkWorker(bean);
			failOnAsync(bean);
			failOnScope(bean);
			String queue = queue(bean);
			WorkerBean other = byQueue.putIfAbsent(queue, bean);
			if (other != null) {
				throw new LowkiqConfigurationException(
						"Two workers serve queue '%s':%n%n    - %s%n    - %s%n%nA queue has one worker".formatted(queue,
								other.describe(), bean.describe()),
						"Give one of them another queue: @LowkiqWorker(\"…\"), or remove one of the beans");
			}
		}
		List<RegisteredWorker> workers = new ArrayList<>();
		byQueue.forEach((queue, bean) -> {
			RegisteredWorker worker = register(queue, bean, byQueue);
			workers.add(worker);
			RegisteredWorker schedules = this.schedules.of(worker, bean.schedules(),
					(declared) -> this.settings.schedules(queue, byQueue.keySet(), declared));
			if (schedules != null) {
				workers.add(schedules);
			}
		});
		warnOfUnknownQueues(byQueue);
		return new WorkerRegistry(workers);
	}

	private static void checkWorker(WorkerBean bean) {
		List<String> kinds = WORKERS.stream()
			.filter((kind) -> kind.isAssignableFrom(bean.userClass()))
			.map(Class::getSimpleName)
			.toList();
		if (kinds.size() != 1) {
			boolean none = kinds.isEmpty();
			throw new LowkiqConfigurationException(
					"%s is annotated with @LowkiqWorker, but implements %s".formatted(bean.describe(),
							none ? "neither Worker, PayloadWorker nor BatchWorker" : String.join(" and ", kinds)),
					"Let %s implement one of io.lowkiq.Worker<P>, io.lowkiq.PayloadWorker<P> and io.lowkiq.BatchWorker<P>"
						.formatted(bean.userClass().getSimpleName()) + (none ? ", or remove the annotation" : ""));
		}
	}

	/** It would be overlooked, since workers are called by their interface. */
	private static void failOnSuspend(WorkerBean bean) {
		boolean isSuspend = Stream.of(ReflectionUtils.getUniqueDeclaredMethods(bean.userClass()))
			.filter((method) -> method.getName().equals("perform"))
			.flatMap((method) -> Stream.of(method.getParameterTypes()))
			.anyMatch((type) -> type.getName().equals(CONTINUATION));
		if (isSuspend) {
			throw new LowkiqConfigurationException(
					"perform of %s is a suspend function, which is not supported: a job is done when perform returns"
						.formatted(bean.describe()),
					"Let %s override perform of io.lowkiq.Worker, and call suspend functions in it by runBlocking { … }"
						.formatted(bean.userClass().getSimpleName()));
		}
	}

	/** It would count as done as soon as it has been started. */
	private static void failOnAsync(WorkerBean bean) {
		Class<?> type = bean.userClass();
		boolean isAsync = AnnotatedElementUtils.hasAnnotation(type, Async.class)
				|| Stream.of(ReflectionUtils.getUniqueDeclaredMethods(type, WorkerDiscovery::isPerform))
					.anyMatch((method) -> AnnotatedElementUtils.hasAnnotation(method, Async.class));
		if (isAsync) {
			throw new LowkiqConfigurationException(
					"perform of %s is @Async: its jobs would count as done before they are performed, and failures would be lost"
						.formatted(bean.describe()),
					"Remove @Async from perform and from the class. Jobs are already performed on threads of the server; "
							+ "lowkiq.server.threads sets their number");
		}
	}

	/** Each of its jobs would fail. */
	private void failOnScope(WorkerBean bean) {
		String scope = bean.scope();
		if (scope.isEmpty() || scope.equals(BeanDefinition.SCOPE_PROTOTYPE)) {
			return;
		}
		boolean isRegistered = this.beanFactory.getRegisteredScope(scope) != null;
		if (!isRegistered || OF_CALLERS.contains(scope)) {
			throw new LowkiqConfigurationException(
					"%s has the scope '%s', %s".formatted(bean.describe(), scope,
							isRegistered ? "which the threads that perform jobs are not in"
									: "which is not registered"),
					"Make it a singleton, or a prototype, of which each run gets one. What it needs of a request belongs into the payload");
		}
	}

	private static boolean isPerform(Method method) {
		return method.getName().equals("perform") && !method.isSynthetic() && (method.getParameterCount() == 2
				|| Arrays.equals(method.getParameterTypes(), new Class<?>[] { Batch.class }));
	}

	private String queue(WorkerBean bean) {
		String declared = bean.annotation().queue();
		if (declared.isEmpty()) {
			if (WORKERS.contains(bean.userClass()) || bean.userClass().getSimpleName().isEmpty()) {
				throw new LowkiqConfigurationException(
						"%s has no class to name its queue after".formatted(bean.describe()),
						"Name the queue: @LowkiqWorker(\"…\")");
			}
			return bean.userClass().getSimpleName();
		}
		return declared;
	}

	private RegisteredWorker register(String queue, WorkerBean bean, Map<String, WorkerBean> byQueue) {
		Type payloadType = PayloadTypes.of(bean.type())
			.orElseThrow(() -> new LowkiqConfigurationException(
					"The payload type of %s can't be determined".formatted(bean.describe()),
					("Name it where the worker is declared, as in 'class %1$s implements Worker<Order>', "
							+ "or let the @Bean method return a type that names it, as in 'Worker<Order>'")
						.formatted(bean.userClass().getSimpleName())));
		String name = bean.name();
		try {
			RegisteredWorker.Settings settings = this.settings.of(queue, bean.annotation(), byQueue.keySet());
			warnOfUselessBatchSize(queue, bean, settings);
			return new RegisteredWorker(queue, bean.userClass(), payloadType, settings,
					() -> this.beanFactory.getBean(name, QueueWorker.class));
		}
		catch (InvalidQueueException ex) {
			throw new LowkiqConfigurationException("%s: %s".formatted(bean.describe(), ex.getMessage()),
					"Change its @LowkiqWorker, or the property under lowkiq.workers that overrides it", ex);
		}
	}

	private static void warnOfUselessBatchSize(String queue, WorkerBean bean, RegisteredWorker.Settings settings) {
		if (settings.batchSize() > 1 && !BatchWorker.class.isAssignableFrom(bean.userClass())) {
			logger.warn("Queue '{}' has a batch size of {}, but {} is not a BatchWorker and gets one id at a time",
					queue, settings.batchSize(), bean.describe());
		}
	}

	private void warnOfUnknownQueues(Map<String, WorkerBean> byQueue) {
		List<String> unknown = this.settings.unknown(byQueue.keySet());
		if (!unknown.isEmpty()) {
			logger.warn(
					"lowkiq.workers has settings for queues that no worker of this application serves: {}. Its queues are {}. "
							+ "Check the names",
					unknown, byQueue.keySet());
		}
	}

}
