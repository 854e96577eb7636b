package io.lowkiq.test.autoconfigure;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import org.springframework.boot.test.context.filter.annotation.StandardAnnotationCustomizableTypeExcludeFilter;
import org.springframework.util.ClassUtils;

import io.lowkiq.EnqueueInterceptor;
import io.lowkiq.ErrorFormatter;
import io.lowkiq.LowkiqObserver;
import io.lowkiq.LowkiqWorker;
import io.lowkiq.PayloadCodec;
import io.lowkiq.JobErrorHandler;
import io.lowkiq.PerformInterceptor;
import io.lowkiq.RetryPolicy;
import io.lowkiq.autoconfigure.LowkiqJsonMapperBuilderCustomizer;
import io.lowkiq.autoconfigure.LowkiqServerCustomizer;
import io.lowkiq.engine.schedule.ShardScheduler;
import io.lowkiq.engine.schedule.ShardSplitter;

/** Leaves out of a {@link LowkiqTest} what has nothing to do with workers. */
class LowkiqTypeExcludeFilter extends StandardAnnotationCustomizableTypeExcludeFilter<LowkiqTest> {

	private static final List<Class<?>> EXTENSION_POINTS = List.of(EnqueueInterceptor.class, PerformInterceptor.class,
			JobErrorHandler.class, RetryPolicy.class, PayloadCodec.class, ErrorFormatter.class, LowkiqObserver.class,
			ShardScheduler.class, ShardSplitter.class, LowkiqServerCustomizer.class,
			LowkiqJsonMapperBuilderCustomizer.class);

	/** They shape the mapper of the application, which a worker may use. */
	private static final List<String> OPTIONAL = List.of("tools.jackson.databind.JacksonModule",
			"org.springframework.boot.jackson.JacksonComponent",
			"org.springframework.boot.jackson.autoconfigure.JsonMapperBuilderCustomizer");

	private final Set<Class<?>> workers;

	LowkiqTypeExcludeFilter(Class<?> testClass) {
		super(testClass);
		this.workers = new LinkedHashSet<>();
		for (Class<?> worker : getAnnotation().getValue("workers", Class[].class).orElse(new Class<?>[0])) {
			this.workers.add(worker);
		}
	}

	@Override
	protected Set<Class<?>> getKnownIncludes() {
		Set<Class<?>> includes = new LinkedHashSet<>(EXTENSION_POINTS);
		ClassLoader loader = LowkiqTypeExcludeFilter.class.getClassLoader();
		for (String name : OPTIONAL) {
			if (ClassUtils.isPresent(name, loader)) {
				includes.add(ClassUtils.resolveClassName(name, loader));
			}
		}
		if (this.workers.isEmpty()) {
			includes.add(LowkiqWorker.class);
		}
		return includes;
	}

	@Override
	protected Set<Class<?>> getComponentIncludes() {
		return this.workers;
	}

}
