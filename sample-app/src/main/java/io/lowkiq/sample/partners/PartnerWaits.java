package io.lowkiq.sample.partners;

import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

import org.springframework.stereotype.Component;

/**
 * The number of jobs of each partner, and their longest wait, since somebody last asked.
 * Thread-safe.
 */
@Component
class PartnerWaits {

	/** Guarded by the monitor. */
	private final Map<String, Waits> byPartner = new TreeMap<>();

	/** The runs of one partner. */
	record Waits(int jobs, Duration longest) {

		Waits with(Waits other) {
			return new Waits(this.jobs + other.jobs,
					(this.longest.compareTo(other.longest) > 0) ? this.longest : other.longest);
		}

	}

	synchronized void add(String partner, Duration wait) {
		this.byPartner.merge(partner, new Waits(1, wait), Waits::with);
	}

	/** Returns a text, empty without jobs, and begins again. */
	synchronized String next() {
		String text = this.byPartner.entrySet()
			.stream()
			.map((partner) -> String.format(Locale.ROOT, "%s %,d jobs, at most %,d ms", partner.getKey(),
					partner.getValue().jobs(), partner.getValue().longest().toMillis()))
			.collect(Collectors.joining("; "));
		this.byPartner.clear();
		return text;
	}

}
