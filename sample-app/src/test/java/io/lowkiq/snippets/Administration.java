package io.lowkiq.snippets;

import java.time.Duration;
import java.util.Map;

import io.lowkiq.RateLimit;
import io.lowkiq.admin.GroupAdmin;
import io.lowkiq.admin.GroupLimits;
import io.lowkiq.admin.JobReport;
import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.store.inspection.JobView.State;

class Administration {

	record OrderSnapshot(long version, String status) {
	}

	private final LowkiqAdmin admin;

	Administration(LowkiqAdmin admin) {
		this.admin = admin;
	}

	void admin() {
		// tag::admin[]
		JobReport report = this.admin.find("orders", "42");
		// "It failed and waits for attempt 4 at 2030-01-01 12:00:00 UTC (in 5 min)."
		String why = report.status().sentence();
		report.job(State.QUEUED).ifPresent((job) -> this.admin.payloads(job, OrderSnapshot.class));

		// waits for a person, and what is enqueued for 42 waits with it
		this.admin.hold("orders", "42");
		this.admin.release("orders", "42");
		this.admin.delete("orders", "42");
		// for somebody else, as the log and the audit have it
		this.admin.as("anna").reEnqueue("orders", "42");
		// end::admin[]
	}

	void groups() {
		// tag::group-admin[]
		GroupAdmin acme = this.admin.group("sync", "acme");
		acme.pause();
		acme.resume();
		acme.concurrency(2);
		acme.rate(20, Duration.ofSeconds(1));
		acme.weight(3);
		// back to the settings of the application, and not paused
		acme.reset();
		this.admin.groups("sync").forEach((group, set) -> System.out.println(group + ": " + set));

		// when the application starts: those of all customers
		this.admin.limitGroups("sync",
				Map.of("acme", new GroupLimits(10, new RateLimit(20, Duration.ofSeconds(1)), null)));
		// end::group-admin[]
	}

	void sources() {
		// tag::sources[]
		this.admin.sources().forEach(System.out::println);
		// keeps its partitions
		this.admin.pauseSource("lowkiq-kafka-orders");
		// also starts a source that has stopped
		this.admin.resumeSource("lowkiq-kafka-orders");
		this.admin.seekSource("lowkiq-kafka-orders", "order-changes", 0, 4711);
		// end::sources[]
	}

}
