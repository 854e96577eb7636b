package io.lowkiq.autoconfigure;

import java.lang.reflect.Type;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotContribution;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Keeps what Jackson needs of the payload types of all workers in a native image.
 */
class PayloadTypeHints implements BeanFactoryInitializationAotProcessor {

	@Override
	public @Nullable BeanFactoryInitializationAotContribution processAheadOfTime(
			ConfigurableListableBeanFactory beanFactory) {
		Type[] types = new WorkerBeans(beanFactory).find()
			.stream()
			.flatMap((bean) -> PayloadTypes.of(bean.type()).stream())
			.toArray(Type[]::new);
		return (context, code) -> new BindingReflectionHintsRegistrar()
			.registerReflectionHints(context.getRuntimeHints().reflection(), types);
	}

}
