package io.lowkiq.autoconfigure;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

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
		for (String name : this.beanFactory.getBeanNamesForType(QueueWorker.class, false, false)) {
			if (!ScopedProxyUtils.isScopedTarget(name) && found.stream().noneMatch((bean) -> bean.name().equals(name))
					&& this.beanFactory.getSingleton(name) instanceof QueueWorker<?> worker) {
				Class<?> actual = AopProxyUtils.ultimateTargetClass(worker);
				if (AnnotatedElementUtils.hasAnnotation(actual, LowkiqWorker.class)) {
					throw new LowkiqConfigurationException(
							"Bean '%s' is a %s, which is annotated with @LowkiqWorker, but its definition does not say so"
								.formatted(name, actual.getName()),
							"Make the @Bean method return %s, or annotate the method with @LowkiqWorker"
								.formatted(actual.getSimpleName()));
				}
			}
		}
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
		LowkiqWorker annotation = (method != null)
				? AnnotatedElementUtils.findMergedAnnotation(method, LowkiqWorker.class) : null;
		if (annotation == null) {
			annotation = AnnotatedElementUtils.findMergedAnnotation(userClass, LowkiqWorker.class);
		}
		if (annotation == null) {
			annotation = AnnotatedElementUtils.findMergedAnnotation(declared.resolve(Object.class), LowkiqWorker.class);
		}
		if (annotation == null) {
			return null;
		}
		String scope = definition.isSingleton() ? "" : String.valueOf(definition.getScope());
		return new WorkerBean(name, annotation, type, userClass, scope);
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
		LowkiqWorker annotation = AnnotatedElementUtils.findMergedAnnotation(userClass, LowkiqWorker.class);
		return (annotation != null)
				? new WorkerBean(name, annotation, ResolvableType.forClass(userClass), userClass, "") : null;
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
