package io.lowkiq.autoconfigure.kafka;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

import io.lowkiq.admin.SourceControl;
import io.lowkiq.admin.SourceStatus;

/** Tells whether sources read. That records wait is no fault of the source. */
class SourcesHealthIndicator extends AbstractHealthIndicator {

	private final SourceControl sources;

	SourcesHealthIndicator(SourceControl sources) {
		super("The Kafka sources can't be asked");
		this.sources = sources;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) {
		builder.up();
		for (SourceStatus source : this.sources.all()) {
			Map<String, Object> details = new LinkedHashMap<>();
			details.put("queue", source.queue());
			details.put("state", source.state().name().toLowerCase(Locale.ROOT));
			if (source.waiting() > 0) {
				details.put("waiting", source.waiting());
			}
			if (source.problem() != null) {
				details.put("problem", source.problem());
			}
			builder.withDetail(source.name(), details);
			if (source.state() == SourceStatus.State.FAILED) {
				builder.down();
			}
		}
	}

}
