package io.lowkiq.autoconfigure;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ClassUtils;

import io.lowkiq.LowkiqSchedule;
import io.lowkiq.LowkiqWorker;
import io.lowkiq.QueueWorker;

/**
 * Finds the beans that are annotated with {@link LowkiqWorker}. It goes by their
 * definitions and instantiates none, so the answer doesn't depend on which beans exist
 * already, nor on how they are proxied.
 */
class WorkerBeans {

	private final ConfigurableListableBeanFactory beanFactory;

	WorkerBeans(ConfigurableListableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
	}

	List<WorkerBean> find() {
		List<WorkerBean> found = new ArrayList<>();
		for (Iterator<String> names = this.beanFactory.getBeanNamesIterator(); names.hasNext();) {
			String name = names.next();
			if (!ScopedProxyUtils.isScopedTarget(name)) {
				WorkerBean bean = find(name);
				if (bean != null) {
					found.add(bean);
				}
			}
		}
		return found;
	}

	/**
	 * Fails if {@link #find()} can't see an annotation: the definition declares another
	 * class than the annotated one.
	 */
	void failOnHidden(List<WorkerBean> found) {
		Map<String, WorkerBean> byName = found.stream()
			.collect(Collectors.toMap(WorkerBean::name, Function.identity()));
		for (String name : this.beanFactory.getBeanNamesForType(QueueWorker.class, false, false)) {
			if (!ScopedProxyUtils.isScopedTarget(name)
					&& this.beanFactory.getSingleton(name) instanceof QueueWorker<?> worker) {
				Class<?> actual = AopProxyUtils.ultimateTargetClass(worker);
				WorkerBean bean = byName.get(name);
				failOnHidden(bean == null && AnnotatedElementUtils.hasAnnotation(actual, LowkiqWorker.class), name,
						actual, LowkiqWorker.class);
				failOnHidden(bean != null && !bean.schedules().containsAll(schedules(actual)), name, actual,
						LowkiqSchedule.class);
			}
		}
		Stream.of(LowkiqSchedule.class, LowkiqSchedule.Schedules.class)
			.flatMap((type) -> Stream.of(this.beanFactory.getBeanNamesForAnnotation(type)))
			.filter((name) -> !ScopedProxyUtils.isScopedTarget(name) && !byName.containsKey(name))
			.findFirst()
			.ifPresent((name) -> {
				throw new LowkiqConfigurationException(
						"Bean '%s' has a @LowkiqSchedule, but is no worker, so no job would be enqueued"
							.formatted(name),
						"Let it implement Worker, PayloadWorker or BatchWorker, and annotate it with @LowkiqWorker, too");
			});
	}

	private static void failOnHidden(boolean isHidden, String name, Class<?> actual,
			Class<? extends Annotation> annotation) {
		if (isHidden) {
			throw new LowkiqConfigurationException(
					"Bean '%s' is a %s, which is annotated with @%s, but its definition does not say so".formatted(name,
							actual.getName(), annotation.getSimpleName()),
					"Make the @Bean method return %s, or annotate the method with @%s".formatted(actual.getSimpleName(),
							annotation.getSimpleName()));
		}
	}

	private static Set<LowkiqSchedule> schedules(AnnotatedElement element) {
		return AnnotatedElementUtils.findMergedRepeatableAnnotations(element, LowkiqSchedule.class,
				LowkiqSchedule.Schedules.class);
	}

	/** The bean of a name; null if it isn't annotated. */
	@Nullable WorkerBean find(String name) {
		String target = ScopedProxyUtils.getTargetBeanName(name);
		String definitionName = this.beanFactory.containsBeanDefinition(target) ? target : name;
		if (!this.beanFactory.containsBeanDefinition(definitionName)) {
			return findSingleton(name);
		}
		BeanDefinition definition = this.beanFactory.getMergedBeanDefinition(definitionName);
		if (definition.isAbstract()) {
			return null;
		}
		// Resolves the bean class and the factory method of the definition
		this.beanFactory.getType(definitionName, false);
		definition = this.beanFactory.getMergedBeanDefinition(definitionName);
		Method method = (definition instanceof RootBeanDefinition root) ? root.getResolvedFactoryMethod() : null;
		ResolvableType declared = (method != null) ? ResolvableType.forMethodReturnType(method)
				: declaredType(definition);
		ResolvableType type = product(definitionName, definition, declared);
		Class<?> userClass = ClassUtils.getUserClass(type.resolve(Object.class));
		String scope = definition.isSingleton() ? "" : String.valueOf(definition.getScope());
		Stream<AnnotatedElement> annotated = Stream.of(userClass, declared.resolve(Object.class));
		return bean(name, Stream.concat(Stream.ofNullable(method), annotated).toList(), type, userClass, scope);
	}

	/** The first annotation counts; null if there is none. */
	private static @Nullable WorkerBean bean(String name, List<AnnotatedElement> annotated, ResolvableType type,
			Class<?> userClass, String scope) {
		return annotated.stream()
			.flatMap((element) -> Stream
				.ofNullable(AnnotatedElementUtils.findMergedAnnotation(element, LowkiqWorker.class)))
			.findFirst()
			.map((annotation) -> new WorkerBean(name, annotation,
					annotated.stream()
						.flatMap((element) -> schedules(element).stream())
						.collect(Collectors.toCollection(LinkedHashSet::new)),
					type, userClass, scope))
			.orElse(null);
	}

	/**
	 * The type that a definition without a factory method declares. The definition of a
	 * scanned class whose bean exists already, or is being created, may only have the
	 * name of the class.
	 */
	private ResolvableType declaredType(BeanDefinition definition) {
		ResolvableType type = definition.getResolvableType();
		String className = definition.getBeanClassName();
		if (type.resolve() != null || className == null || definition.getFactoryMethodName() != null) {
			return type;
		}
		return ResolvableType.forClass(ClassUtils.resolveClassName(className, this.beanFactory.getBeanClassLoader()));
	}

	private @Nullable WorkerBean findSingleton(String name) {
		Object singleton = this.beanFactory.getSingleton(name);
		if (singleton == null) {
			return null;
		}
		Class<?> userClass = AopProxyUtils.ultimateTargetClass(singleton);
		return bean(name, List.of(userClass), ResolvableType.forClass(userClass), userClass, "");
	}

	private ResolvableType product(String name, BeanDefinition definition, ResolvableType declared) {
		if (!FactoryBean.class.isAssignableFrom(declared.resolve(Object.class))) {
			return declared;
		}
		Object attribute = definition.getAttribute(FactoryBean.OBJECT_TYPE_ATTRIBUTE);
		if (attribute instanceof ResolvableType type) {
			return type;
		}
		if (attribute instanceof Class<?> type) {
			return ResolvableType.forClass(type);
		}
		ResolvableType generic = declared.as(FactoryBean.class).getGeneric();
		if (generic.resolve() != null) {
			return generic;
		}
		return ResolvableType.forClass(this.beanFactory.getType(name, false));
	}

}
