package io.lowkiq.snippets;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.List;
import java.util.NoSuchElementException;

import io.lowkiq.Batch;
import io.lowkiq.BatchWorker;
import io.lowkiq.JobErrorHandler;
import io.lowkiq.JobErrorHandler.Decision;
import io.lowkiq.LowkiqSchedule;
import io.lowkiq.LowkiqWorker;
import io.lowkiq.PayloadWorker;
import io.lowkiq.PerformContext;
import io.lowkiq.PerformInterceptor;
import io.lowkiq.RetryAfterException;
import io.lowkiq.Worker;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.Order;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

class Performing {

	private static final Logger logger = LoggerFactory.getLogger(Performing.class);

	record OrderSnapshot(long version, String status) {
	}

	// tag::batch-worker[]
	@LowkiqWorker(queue = "order-index", batchSize = 10)
	class OrderIndexer implements BatchWorker<OrderSnapshot> {

		@Override
		public void perform(Batch<OrderSnapshot> batch) {
			for (Batch.Job<OrderSnapshot> job : batch) {
				try {
					index(job.id(), job.payloads());
				}
				catch (IllegalStateException ex) {
					job.fail(ex); // only this id is retried
				}
			}
		}

	}
	// end::batch-worker[]

	// tag::retries[]
	@LowkiqWorker(queue = "mails", maxRetryCount = 5)
	class MailWorker implements Worker<String> {

		@Override
		public void perform(String id, List<String> texts) {
			send(id, texts);
		}

		@Override
		public Duration retryIn(int retryCount, Throwable error) { // from 0 on
			return Duration.ofSeconds(10L * (retryCount + 1));
		}

		@Override
		public void retriesExhausted(String id, String payload, Throwable error) {
			logger.warn("Mail to {} goes to the morgue", id, error);
		}

	}
	// end::retries[]

	record Shipment(String order) {
	}

	// tag::follow-ups[]
	@LowkiqWorker("payments")
	record PaymentWorker(PerformContext context) implements PayloadWorker<OrderSnapshot> {

		@Override
		public void perform(String id, OrderSnapshot order) {
			pay(id, order);
			this.context.onSuccess().enqueue("shipments", id, new Shipment(id));
		}

	}
	// end::follow-ups[]

	static void pay(String id, OrderSnapshot order) {
	}

	// tag::schedule[]
	@LowkiqWorker("reports")
	@LowkiqSchedule(id = "nightly", cron = "0 0 3 * * *", zone = "Europe/Berlin")
	class ReportWorker implements Worker<LocalDate> {

		@Override
		public LocalDate payloadAt(String schedule, Instant time) {
			return LocalDate.ofInstant(time, ZoneId.of("Europe/Berlin"));
		}

		@Override
		public void perform(String id, List<LocalDate> days) {
			days.forEach(this::report);
		}

		// end::schedule[]

		void report(LocalDate day) {
		}

	}

	// tag::gathering[]
	@LowkiqWorker(queue = "search", debounce = "500ms", maxWait = "5s")
	class SearchIndexer implements Worker<OrderSnapshot> {

		@Override
		public void perform(String id, List<OrderSnapshot> snapshots) {
			index(id, snapshots);
		}

	}
	// end::gathering[]

	// tag::payload-worker[]
	@LowkiqWorker(queue = "bookings", buryOn = IllegalArgumentException.class, discardOn = NoSuchElementException.class)
	class BookingWorker implements PayloadWorker<Booking> {

		@Override
		public void perform(String id, Booking booking) {
			book(id, booking); // may throw RetryAfterException
		}

	}
	// end::payload-worker[]

	void refused() {
		// tag::retry-after-for-group[]
		throw new RetryAfterException(Duration.ofSeconds(30)).forGroup();
		// end::retry-after-for-group[]
	}

	record Booking(long seats) {
	}

	void book(String id, Booking booking) {
	}

	// tag::fencing[]
	@LowkiqWorker("stock")
	record StockWorker(JdbcClient jdbc, PerformContext context) implements Worker<Long> {

		@Override
		public void perform(String id, List<Long> amounts) {
			long token = this.context.fencingToken();
			int rows = this.jdbc.sql("update stock set amount = ?, token = ? where id = ? and token <= ?")
				.params(amounts.get(amounts.size() - 1), token, id, token)
				.update();
			if (rows == 0) {
				throw new IllegalStateException("No row " + id + ", or another node owns it by now");
			}
		}

	}
	// end::fencing[]

	// tag::perform-interceptor[]
	@Component
	class TimedPerform implements PerformInterceptor {

		@Override
		public void perform(Call call, Chain chain) throws Exception {
			long begin = System.nanoTime();
			try {
				chain.proceed();
			}
			finally {
				logger.info("{}: {} jobs in {} ms", call.queue(), call.jobs().size(),
						(System.nanoTime() - begin) / 1_000_000);
			}
		}

	}
	// end::perform-interceptor[]

	// tag::error-handler[]
	@Bean
	@Order(0)
	JobErrorHandler refusals() {
		return (failure) -> {
			if (failure.error() instanceof RefusedException) {
				return Decision.hold(); // a person has to look at it
			}
			if (failure.error() instanceof OverloadException && failure.attempt() < 3) {
				return Decision.retryIn(Duration.ofSeconds(5));
			}
			return null; // the next handler decides
		};
	}
	// end::error-handler[]

	static class RefusedException extends RuntimeException {

		private static final long serialVersionUID = 1L;

	}

	static class OverloadException extends RuntimeException {

		private static final long serialVersionUID = 1L;

	}

	void index(String id, List<OrderSnapshot> snapshots) {
	}

	void send(String id, List<String> texts) {
	}

}
