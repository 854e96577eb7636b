package io.lowkiq.snippets.recipes;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.List;
import java.util.stream.IntStream;

import io.lowkiq.Batch;
import io.lowkiq.BatchWorker;
import io.lowkiq.JobRequest;
import io.lowkiq.LowkiqClient;
import io.lowkiq.LowkiqSchedule;
import io.lowkiq.LowkiqWorker;
import io.lowkiq.LowkiqWorker.Keep;
import io.lowkiq.PayloadWorker;
import io.lowkiq.PerformContext;
import io.lowkiq.RetriesExhausted;
import io.lowkiq.RetryAfterException;
import io.lowkiq.Worker;
import io.lowkiq.admin.LowkiqAdmin;

import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/** The code of the recipes. */
final class Recipes {

	private Recipes() {
	}

	record Product(long version, String name) {
	}

	// tag::newest-wins[]
	@LowkiqWorker(queue = "search-index", keep = Keep.LATEST)
	record ProductIndexer(SearchIndex index) implements PayloadWorker<Product> {

		@Override
		public void perform(String id, Product newest) {
			this.index.write(id, newest);
		}

	}
	// end::newest-wins[]

	static void enqueueVersion(LowkiqClient lowkiq, String id, Product product) {
		// tag::newest-wins-enqueue[]
		lowkiq.enqueue(ProductIndexer.class, JobRequest.of(id, product).score(product.version()));
		// end::newest-wins-enqueue[]
	}

	// tag::every-change[]
	@LowkiqWorker("accounts")
	record AccountWorker(Ledger ledger) implements PayloadWorker<Booking> {

		@Override
		public void perform(String account, Booking booking) { // one at a time, in order
			this.ledger.book(account, booking);
		}

	}
	// end::every-change[]

	record Booking(long number, long cents) {
	}

	// tag::at-most-every[]
	@LowkiqWorker(queue = "positions", keep = Keep.LATEST, minInterval = "5s")
	record PositionWorker(Fleet fleet) implements PayloadWorker<String> {

		@Override
		public void perform(String truck, String position) {
			this.fleet.show(truck, position);
		}

	}
	// end::at-most-every[]

	// tag::after-commit[]
	@Component
	static class Checkout {

		private final Orders orders;

		private final LowkiqClient lowkiq;

		Checkout(Orders orders, LowkiqClient lowkiq) {
			this.orders = orders;
			this.lowkiq = lowkiq;
		}

		@Transactional
		public void pay(String order) {
			this.orders.markPaid(order);
			this.lowkiq.enqueue("receipts", order, "PAID"); // only if the transaction
															// commits
		}

	}
	// end::after-commit[]

	@LowkiqWorker("receipts")
	record ReceiptWorker(Journal journal) implements PayloadWorker<String> {

		@Override
		public void perform(String order, String status) {
			this.journal.add("receipt " + order);
		}

	}

	// tag::step-after-step[]
	@LowkiqWorker("payments")
	record PaymentWorker(Bank bank, PerformContext context) implements PayloadWorker<Long> {

		@Override
		public void perform(String order, Long cents) {
			this.bank.charge(order, cents);
			this.context.onSuccess().enqueue("shipments", order, "standard");
		}

	}
	// end::step-after-step[]

	@LowkiqWorker("shipments")
	record ShipmentWorker(Journal journal) implements PayloadWorker<String> {

		@Override
		public void perform(String order, String kind) {
			this.journal.add("ship " + order + " " + kind);
		}

	}

	// tag::every-night[]
	@LowkiqWorker("reports")
	@LowkiqSchedule(id = "nightly", cron = "0 0 3 * * *", zone = "Europe/Berlin")
	record ReportWorker(Reports reports) implements PayloadWorker<LocalDate> {

		@Override
		public LocalDate payloadAt(String schedule, Instant time) {
			return LocalDate.ofInstant(time, ZoneId.of("Europe/Berlin")).minusDays(1);
		}

		@Override
		public void perform(String schedule, LocalDate day) {
			this.reports.write(day);
		}

	}
	// end::every-night[]

	// tag::ask-a-person[]
	@LowkiqWorker(queue = "refunds", maxRetryCount = 2, retriesExhausted = RetriesExhausted.HOLD)
	record RefundWorker(Bank bank) implements PayloadWorker<Long> {

		@Override
		public void perform(String order, Long cents) {
			this.bank.charge(order, -cents);
		}

	}
	// end::ask-a-person[]

	static void afterTheFix(LowkiqAdmin admin) {
		// tag::ask-a-person-release[]
		admin.as("anna").release("refunds", "42"); // or "Release" on the dashboard
		// end::ask-a-person-release[]
	}

	// tag::hundred-at-once[]
	@LowkiqWorker(queue = "archive", batchSize = 100)
	record ArchiveWorker(Archive archive) implements BatchWorker<String> {

		@Override
		public void perform(Batch<String> batch) {
			this.archive.insertAll(batch.jobs());
		}

	}
	// end::hundred-at-once[]

	// tag::slow-api[]
	@LowkiqWorker(queue = "geocoding", shards = 2, shardConcurrency = 1, performTimeout = "30s")
	record GeocodingWorker(Geocoder geocoder) implements PayloadWorker<String> {

		@Override
		public void perform(String address, String text) {
			if (!this.geocoder.locate(text)) { // 429 Too Many Requests
				throw new RetryAfterException(Duration.ofMinutes(1));
			}
		}

	}
	// end::slow-api[]

	// tag::groups[]
	@LowkiqWorker(queue = "sync", groupSeparator = ":") // "acme:42" is of "acme"
	record SyncWorker(Journal journal) implements PayloadWorker<String> {

		@Override
		public void perform(String id, String change) {
			this.journal.add("sync " + id);
		}

	}
	// end::groups[]

	static void enqueueForTwoCustomers(LowkiqClient client) {
		// tag::fair-shares[]
		client.enqueueAll(SyncWorker.class,
				IntStream.range(0, 1_000).mapToObj((i) -> JobRequest.of("acme:" + i, "change")).toList());
		client.enqueue(SyncWorker.class, "small:1", "change");
		// end::fair-shares[]
	}

	@LowkiqWorker("customers")
	record CustomerWorker(Journal journal) implements PayloadWorker<String> {

		@Override
		public void perform(String customer, String change) {
			this.journal.add("customer " + customer);
		}

	}

	static boolean erase(LowkiqAdmin admin) {
		// tag::erase[]
		boolean found = admin.as("anna").erase("customers", "c-17").isAny();
		// end::erase[]
		return found;
	}

	// tag::move-a-queue[]
	@LowkiqWorker(queue = "invoices", shards = 5) // the old queue
	record InvoiceMover(LowkiqClient lowkiq) implements Worker<Long> {

		@Override
		public void perform(String id, List<Long> versions) {
			this.lowkiq.enqueueAll("invoices-2",
					versions.stream().map((version) -> JobRequest.of(id, version).score(version)).toList());
		}

	}
	// end::move-a-queue[]

	@LowkiqWorker(queue = "invoices-2", shards = 48)
	record InvoiceWorker(Journal journal) implements Worker<Long> {

		@Override
		public void perform(String id, List<Long> versions) {
			this.journal.add("invoice " + id + " " + versions);
		}

	}

	interface SearchIndex {

		void write(String id, Product product);

	}

	interface Ledger {

		void book(String account, Booking booking);

	}

	interface Fleet {

		void show(String truck, String position);

	}

	interface Orders {

		void markPaid(String order);

	}

	interface Bank {

		void charge(String order, long cents);

	}

	interface Reports {

		void write(LocalDate day);

	}

	interface Archive {

		void insertAll(List<? extends Batch.Job<String>> jobs);

	}

	interface Geocoder {

		boolean locate(String address);

	}

}
