package io.lowkiq.autoconfigure;

import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotContribution;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

import io.lowkiq.autoconfigure.schedule.ScheduleTick;

/**
 * Lets the payloads of all workers be written and read in a native image. Subclasses of a
 * payload type that only Jackson's annotations name are found; others the application
 * registers, as for any binding.
 */
class WorkerRuntimeHints implements BeanFactoryInitializationAotProcessor {

	@Override
	public @Nullable BeanFactoryInitializationAotContribution processAheadOfTime(
			ConfigurableListableBeanFactory beanFactory) {
		List<Type> payloads = new ArrayList<>();
		new WorkerBeans(beanFactory).find().forEach((bean) -> PayloadTypes.of(bean.type()).ifPresent(payloads::add));
		if (payloads.isEmpty()) {
			return null;
		}
		payloads.add(ScheduleTick.class);
		return (context, code) -> new BindingReflectionHintsRegistrar()
			.registerReflectionHints(context.getRuntimeHints().reflection(), payloads.toArray(Type[]::new));
	}

}
