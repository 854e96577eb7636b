package io.lowkiq.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.ReactiveTransaction;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.TransactionDefinition;

import io.lowkiq.testing.MemoryStoreConfiguration;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class ReactiveTransactionCheckTests {

	private final ApplicationContextRunner application = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LowkiqAutoConfiguration.class))
		.withUserConfiguration(MemoryStoreConfiguration.class);

	private final ApplicationContextRunner reactive = this.application.withUserConfiguration(Reactive.class);

	@Test
	void reactiveTransactionsAreNamedAtTheStart(CapturedOutput output) {
		this.reactive.withPropertyValues("lowkiq.client.transactional=after-commit")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).containsOnlyOnce("the transactions of r2dbc are reactive")
			.contains("lowkiq.client.transactional is 'after-commit'");
	}

	@Test
	void nothingIsSaidWhereNothingIsPromisedOrNothingIsReactive(CapturedOutput output) {
		this.reactive.run((context) -> assertThat(context).hasNotFailed());
		this.application.withPropertyValues("lowkiq.client.transactional=after-commit")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain("reactive");
	}

	@Configuration(proxyBeanMethods = false)
	static class Reactive {

		@Bean
		ReactiveTransactionManager r2dbc() {
			return new ReactiveTransactionManager() {

				@Override
				public Mono<ReactiveTransaction> getReactiveTransaction(@Nullable TransactionDefinition definition) {
					return Mono.empty();
				}

				@Override
				public Mono<Void> commit(ReactiveTransaction transaction) {
					return Mono.empty();
				}

				@Override
				public Mono<Void> rollback(ReactiveTransaction transaction) {
					return Mono.empty();
				}

			};
		}

	}

}
