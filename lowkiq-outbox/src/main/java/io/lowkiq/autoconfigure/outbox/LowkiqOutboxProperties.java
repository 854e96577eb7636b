package io.lowkiq.autoconfigure.outbox;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.jdbc.init.DatabaseInitializationProperties;

import io.lowkiq.autoconfigure.LowkiqConfigurationException;

/** Properties of the outbox. */
@ConfigurationProperties("lowkiq.outbox")
public class LowkiqOutboxProperties extends DatabaseInitializationProperties {

	/**
	 * How often to check the table for rows that a crash left behind, 100ms to 1m. What
	 * this application commits is sent immediately.
	 */
	private Duration pollInterval = Duration.ofSeconds(5);

	/** Maximum number of rows to send at a time, 1 to 10,000. */
	private int batchSize = 1_000;

	/**
	 * How long to keep sent rows, to send them again if Redis forgets them: 1s to 7d, or
	 * 0.
	 */
	private Duration keepSent = Duration.ZERO;

	public Duration getPollInterval() {
		return this.pollInterval;
	}

	public void setPollInterval(Duration pollInterval) {
		this.pollInterval = pollInterval;
	}

	public int getBatchSize() {
		return this.batchSize;
	}

	public void setBatchSize(int batchSize) {
		this.batchSize = batchSize;
	}

	public Duration getKeepSent() {
		return this.keepSent;
	}

	public void setKeepSent(Duration keepSent) {
		this.keepSent = keepSent;
	}

	/** The former name, for the binder. */
	void setKeep(String keep) {
		throw new LowkiqConfigurationException("lowkiq.outbox.keep is lowkiq.outbox.keep-sent now",
				"Rename the property");
	}

	@Override
	public String getDefaultSchemaLocation() {
		return "classpath:io/lowkiq/outbox/schema-@@platform@@.sql";
	}

}
