package io.lowkiq.autoconfigure.modulith;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.modulith.events.support.EventExternalizerModuleListener;
import org.springframework.modulith.events.support.OutboxEventExternalizer;
import org.springframework.modulith.events.support.OutboxEventExternalizerFactory;

import io.lowkiq.LowkiqClient;
import io.lowkiq.TransactionMode;
import io.lowkiq.autoconfigure.LowkiqServerAutoConfiguration;

/** Auto-configuration of the externalization of events into queues. */
@AutoConfiguration(after = LowkiqServerAutoConfiguration.class,
		afterName = "org.springframework.modulith.events.config.EventExternalizationAutoConfiguration")
@ConditionalOnClass({ EventExternalizerModuleListener.class, EventExternalizationConfiguration.class })
@ConditionalOnBean({ EventExternalizationConfiguration.class, LowkiqClient.class })
public final class LowkiqModulithAutoConfiguration {

	/** The registry of Spring Modulith keeps an event until this is done. */
	@Bean
	@ConditionalOnMissingBean(OutboxEventExternalizerFactory.class)
	EventExternalizerModuleListener lowkiqEventExternalizer(EventExternalizationConfiguration configuration,
			LowkiqClient client, BeanFactory beanFactory) {
		return new EventExternalizerModuleListener(configuration, transport(client, beanFactory));
	}

	/** In the mode {@code outbox} of Spring Modulith. */
	@Bean
	@ConditionalOnBean(OutboxEventExternalizerFactory.class)
	OutboxEventExternalizer lowkiqOutboxEventExternalizer(OutboxEventExternalizerFactory factory, LowkiqClient client,
			BeanFactory beanFactory) {
		return factory.forTransport(transport(client, beanFactory));
	}

	private static JobTransport transport(LowkiqClient client, BeanFactory beanFactory) {
		StandardEvaluationContext context = new StandardEvaluationContext();
		context.setBeanResolver(new BeanFactoryResolver(beanFactory));
		return new JobTransport(client.transactional(TransactionMode.OFF), context);
	}

}
