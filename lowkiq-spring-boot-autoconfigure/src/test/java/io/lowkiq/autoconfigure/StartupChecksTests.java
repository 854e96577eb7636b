package io.lowkiq.autoconfigure;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CountDownLatch;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Mono;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.transaction.ReactiveTransaction;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.TransactionDefinition;

import io.lowkiq.testing.MemoryStoreConfiguration;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class StartupChecksTests {

	private static final String WARNING = "No thread keeps this JVM alive";

	private final ApplicationContextRunner application = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LowkiqRedisAutoConfiguration.class,
				LowkiqClientAutoConfiguration.class, LowkiqServerAutoConfiguration.class))
		.withUserConfiguration(MemoryStoreConfiguration.class);

	private final ApplicationContextRunner reactive = this.application.withUserConfiguration(Reactive.class);

	private void ready(boolean isServer, Thread... others) {
		this.application.withBean(GatedWorker.class)
			.withPropertyValues("lowkiq.server.enabled=" + isServer)
			.withInitializer((context) -> ((GenericApplicationContext) context).registerBean(StartupChecks.class,
					() -> new StartupChecks(context, context.getBean(LowkiqProperties.class), () -> Set.of(others))))
			.run((context) -> context.publishEvent(new ApplicationReadyEvent(new SpringApplication(), new String[0],
					context.getSourceApplicationContext(), Duration.ZERO)));
	}

	private static Thread thread(boolean isDaemon, CountDownLatch end) {
		Thread thread = new Thread(() -> {
			try {
				end.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		});
		thread.setDaemon(isDaemon);
		thread.start();
		return thread;
	}

	@Test
	void aNodeWithDaemonsOnlyIsWarnedOf(CapturedOutput output) {
		CountDownLatch end = new CountDownLatch(1);
		ready(true, Thread.currentThread(), thread(true, end));
		end.countDown();
		assertThat(output).contains(WARNING).contains("spring.main.keep-alive=true");
	}

	@Test
	void aThreadThatIsNoDaemonKeepsTheNodeAlive(CapturedOutput output) {
		CountDownLatch end = new CountDownLatch(1);
		ready(true, Thread.currentThread(), thread(false, end));
		end.countDown();
		assertThat(output).doesNotContain(WARNING);
	}

	@Test
	void anApplicationWithoutANodeMayEnd(CapturedOutput output) {
		ready(false, Thread.currentThread());
		assertThat(output).doesNotContain(WARNING);
	}

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
