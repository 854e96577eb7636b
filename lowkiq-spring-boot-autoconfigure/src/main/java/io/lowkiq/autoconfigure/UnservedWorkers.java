package io.lowkiq.autoconfigure;

import java.util.List;
import java.util.stream.Collectors;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.ContextRefreshedEvent;

import io.lowkiq.WorkerRegistry;

/**
 * Warns of workers that are beans of a child context: Lowkiq runs in its parent, which
 * doesn't see them.
 */
class UnservedWorkers implements ApplicationListener<ContextRefreshedEvent> {

	private static final Logger logger = LoggerFactory.getLogger(UnservedWorkers.class);

	private final ApplicationContext context;

	UnservedWorkers(ApplicationContext context) {
		this.context = context;
	}

	@Override
	public void onApplicationEvent(ContextRefreshedEvent event) {
		ApplicationContext refreshed = event.getApplicationContext();
		if (refreshed == this.context || !(refreshed instanceof ConfigurableApplicationContext child)
				|| child.getBeanFactory().getBeanNamesForType(WorkerRegistry.class, true, false).length > 0) {
			return;
		}
		List<WorkerBean> workers = new WorkerBeans(child.getBeanFactory()).find();
		if (!workers.isEmpty()) {
			logger.warn(
					"These workers are beans of the child context '{}', so Lowkiq, which runs in its parent, doesn't serve them: {}. "
							+ "Define them in the parent, or auto-configure Lowkiq in the child only",
					child.getDisplayName(),
					workers.stream().map(WorkerBean::describe).collect(Collectors.joining(", ")));
		}
	}

}
