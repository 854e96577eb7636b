package io.lowkiq.autoconfigure;

import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;

import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.i18n.LocaleContextHolder;
import org.springframework.core.task.TaskDecorator;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

import io.lowkiq.LowkiqClient;
import io.lowkiq.LowkiqWorker;
import io.lowkiq.Worker;
import io.lowkiq.autoconfigure.observation.LowkiqObservationAutoConfiguration;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.inspection.ShardCounts;
import io.lowkiq.testing.MemoryStoreConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** What a run leaves on its thread doesn't reach the next one. */
@ExtendWith(OutputCaptureExtension.class)
class CleanThreadTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(LowkiqRedisAutoConfiguration.class, LowkiqClientAutoConfiguration.class,
						LowkiqServerAutoConfiguration.class, LowkiqObservationAutoConfiguration.class))
		.withUserConfiguration(MemoryStoreConfiguration.class, DatabaseConfiguration.class)
		.withBean(OrderWorker.class)
		.withPropertyValues("lowkiq.server.threads=1");

	@Test
	void transactionsThatAWorkerLeavesOpenSwallowNoOtherJob(CapturedOutput output) {
		this.runner.run((context) -> {
			LowkiqClient client = context.getBean(LowkiqClient.class);
			client.enqueue("orders", "1", "open");
			await().untilAsserted(() -> assertThat(counts(context.getBean(RedisStore.class)).retry()).isEqualTo(1));
			client.enqueue("orders", "2", "good");
			await().untilAsserted(() -> assertThat(counts(context.getBean(RedisStore.class)).processed()).isEqualTo(1));
			JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
			assertThat(jdbc.queryForList("select id from orders", String.class)).containsExactly("2");
			assertThat(context.getBean(JdbcConnectionPool.class).getActiveConnections()).isZero();
			List<Thread> threads = context.getBean(OrderWorker.class).threads;
			assertThat(threads.get(1)).isNotSameAs(threads.get(0));
			assertThat(output).containsOnlyOnce(OrderWorker.class.getName()
					+ " left something open while it performed '1' of queue 'orders', and its thread is replaced: A transaction was left open");
			assertThat(output).contains("OpenTransactionException");
		});
	}

	@Test
	void whatATaskDecoratorLeavesOpenCountsAsWell() {
		this.runner.withUserConfiguration(DecoratorConfiguration.class).run((context) -> {
			context.getBean(LowkiqClient.class).enqueue("orders", "1", "good");
			await().untilAsserted(() -> assertThat(counts(context.getBean(RedisStore.class)).retry()).isEqualTo(1));
			assertThat(context.getBean(JdbcConnectionPool.class).getActiveConnections()).isZero();
		});
	}

	@Test
	void theNextRunSeesNeitherUserNorLocaleNorRequest() {
		this.runner.run((context) -> {
			LowkiqClient client = context.getBean(LowkiqClient.class);
			client.enqueue("orders", "1", "holders");
			await().untilAsserted(() -> assertThat(counts(context.getBean(RedisStore.class)).processed()).isEqualTo(1));
			client.enqueue("orders", "2", "holders");
			await().untilAsserted(() -> assertThat(counts(context.getBean(RedisStore.class)).processed()).isEqualTo(2));
			OrderWorker worker = context.getBean(OrderWorker.class);
			assertThat(worker.threads.get(1)).isSameAs(worker.threads.get(0));
			assertThat(worker.seen).containsExactly("null null null", "null null null");
		});
	}

	private static ShardCounts counts(RedisStore store) {
		return store.inspection().counts(store.queues().find("orders").orElseThrow().allShards().get(0));
	}

	@Configuration(proxyBeanMethods = false)
	static class DatabaseConfiguration {

		@Bean(destroyMethod = "dispose")
		JdbcConnectionPool dataSource() {
			JdbcConnectionPool pool = JdbcConnectionPool.create("jdbc:h2:mem:clean-thread", "", "");
			pool.setMaxConnections(2);
			pool.setLoginTimeout(5);
			return pool;
		}

		@Bean
		JdbcTemplate jdbcTemplate(DataSource dataSource) {
			JdbcTemplate jdbc = new JdbcTemplate(dataSource);
			jdbc.execute("drop table if exists orders");
			jdbc.execute("create table orders (id varchar(10))");
			return jdbc;
		}

		@Bean
		PlatformTransactionManager transactionManager(DataSource dataSource) {
			return new JdbcTransactionManager(dataSource);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class DecoratorConfiguration {

		@Bean
		TaskDecorator decorator(PlatformTransactionManager manager) {
			return (task) -> () -> {
				manager.getTransaction(null);
				task.run();
			};
		}

	}

	@LowkiqWorker(queue = "orders", shards = 1)
	static class OrderWorker implements Worker<String> {

		private final List<Thread> threads = new CopyOnWriteArrayList<>();

		private final List<String> seen = new CopyOnWriteArrayList<>();

		private final JdbcTemplate jdbc;

		private final PlatformTransactionManager manager;

		OrderWorker(JdbcTemplate jdbc, PlatformTransactionManager manager) {
			this.jdbc = jdbc;
			this.manager = manager;
		}

		@Override
		public void perform(String id, List<String> payloads) {
			this.threads.add(Thread.currentThread());
			if (payloads.contains("holders")) {
				changeHolders();
				return;
			}
			if (payloads.contains("open")) {
				this.manager.getTransaction(null);
				this.manager
					.getTransaction(new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW));
			}
			this.jdbc.update("insert into orders values (?)", id);
		}

		private void changeHolders() {
			this.seen.add("%s %s %s".formatted(SecurityContextHolder.getContext().getAuthentication(),
					LocaleContextHolder.getLocaleContext(), RequestContextHolder.getRequestAttributes()));
			// Into the context that is there
			SecurityContextHolder.getContext().setAuthentication(new TestingAuthenticationToken("admin", "none"));
			LocaleContextHolder.setLocale(Locale.FRENCH);
			RequestContextHolder.setRequestAttributes(new ServletRequestAttributes(new MockHttpServletRequest()));
		}

	}

}
