package io.lowkiq.autoconfigure.outbox;

import java.util.Map;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

import io.lowkiq.NewerVersionException;
import io.lowkiq.autoconfigure.outbox.OutboxTable.Backlog;

/**
 * Tells how much waits in the outbox, and why. Down if the table can't be read, nothing
 * could be sent for a minute though Redis responds, the sequence went back, or a newer
 * version has upgraded the tables.
 */
class OutboxHealthIndicator extends AbstractHealthIndicator {

	private final OutboxTable table;

	private final OutboxFlush flush;

	private final OutboxFlusher flusher;

	OutboxHealthIndicator(OutboxTable table, OutboxFlush flush, OutboxFlusher flusher) {
		super("The table lowkiq_outbox can't be read");
		this.table = table;
		this.flush = flush;
		this.flusher = flusher;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) {
		Backlog backlog = this.table.backlog();
		builder.up().withDetail("rows", backlog.rows());
		if (backlog.rows() > 0) {
			builder.withDetail("oldest", backlog.age().toString());
		}
		String problem = this.flusher.problem();
		if (problem != null) {
			builder.withDetail("problem", problem);
		}
		Map<String, String> waiting = this.flush.waiting();
		if (!waiting.isEmpty()) {
			builder.withDetail("waiting", waiting);
		}
		if (backlog.aside() > 0) {
			builder.withDetail("aside", backlog.aside());
		}
		String sequence = this.flush.sequenceProblem();
		if (sequence != null) {
			builder.down().withDetail("sequence", sequence);
		}
		try {
			this.table.lock().checkFormat();
		}
		catch (NewerVersionException ex) {
			builder.down().withDetail("newer", String.valueOf(ex.getMessage()));
		}
		String standstill = this.flusher.standstill();
		if (standstill != null) {
			builder.down().withDetail("standstill", standstill);
		}
	}

}
