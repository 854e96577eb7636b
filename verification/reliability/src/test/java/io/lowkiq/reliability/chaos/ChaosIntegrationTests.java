package io.lowkiq.reliability.chaos;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;

import io.lowkiq.reliability.check.Verdict;
import io.lowkiq.reliability.check.Violation;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Mixed faults by a seed: {@code chaos.seed}, or a fresh one; for {@code chaos.minutes};
 * on a Redis with a replica, or with {@code chaos.cluster} on a cluster.
 */
class ChaosIntegrationTests {

	private static final boolean CLUSTER = Boolean.getBoolean("chaos.cluster");

	/** How many payloads each of two producers enqueues in a second. */
	private static final int RATE = Integer.getInteger("chaos.rate", 350);

	@Test
	void mixedFaultsBreakNoPromise() {
		String given = System.getProperty("chaos.seed", "");
		long seed = given.isEmpty() ? ThreadLocalRandom.current().nextLong(1_000_000) : Long.parseLong(given);
		double minutes = Double.parseDouble(System.getProperty("chaos.minutes", "0.75"));
		System.out.printf(Locale.ROOT, "Chaos for %s minutes with -Dchaos.seed=%d -Dchaos.cluster=%s%n", minutes, seed,
				CLUSTER);
		String name = "chaos-" + seed;
		try (Fleet fleet = CLUSTER ? Fleet.onCluster(name, 30) : Fleet.onServerWithReplica(name, 30)) {
			fleet.limit(seed);
			fleet.startNodes(2);
			fleet.startMixedProducer(RATE, 300);
			fleet.startMixedProducer(RATE, 300);
			fleet.startOperator((int) seed);
			new Harm(fleet, seed).until(System.nanoTime() + (long) (minutes * 60e9));
			fleet.stopProducers();
			Verdict verdict = fleet.judge(Duration.ofSeconds(90));
			List<Violation> violations = verdict.violations();
			assertThat(violations)
				.as("-Dchaos.seed=%d, history in %s, %d violations", seed, fleet.directory(), violations.size())
				.isEmpty();
			assertThat(verdict.figures().acknowledged()).isPositive();
			assertThat(verdict.figures().faultCount()).isPositive();
		}
	}

}
