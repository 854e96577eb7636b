package io.lowkiq.reliability.chaos;

import java.time.Duration;
import java.util.List;

import io.lowkiq.reliability.check.Verdict;
import io.lowkiq.reliability.check.Violation;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Nodes and producers of this build beside those of the {@linkplain PinnedBuild pinned
 * one}: upgrades in both orders, and downgrades, for {@code builds.minutes}.
 */
class MixedBuildsIntegrationTests {

	private static final double MINUTES = Double.parseDouble(System.getProperty("builds.minutes", "1"));

	private static final int NODES = 3;

	/** How many payloads each of two producers enqueues in a second. */
	private static final int RATE = 100;

	/** How many runs each build has while it has all nodes. */
	private static final int RUNS = 200;

	private static final Duration LONG = Duration.ofSeconds(90);

	/** Of the flags that have to be understood, one that no build sets yet. */
	private static final int NEWER = 16;

	private final String pinned = PinnedBuild.classPath();

	private final String present = System.getProperty("java.class.path");

	private int replaced;

	@Test
	void upgradesInBothOrdersAndDowngradesBreakNoPromise() {
		long deadline = System.nanoTime() + (long) (MINUTES * 60e9);
		try (Fleet fleet = Fleet.onServerWithReplica("builds", 30)) {
			fleet.run(this.pinned);
			fleet.startNodes(NODES);
			startProducers(fleet);
			startOperators(fleet);
			while (true) {
				replaceNodes(fleet, this.present);
				refuseAShard(fleet);
				replaceProducers(fleet, this.present);
				replaceNodes(fleet, this.pinned);
				refuseAShard(fleet);
				replaceProducers(fleet, this.pinned);
				replaceProducers(fleet, this.present);
				replaceNodes(fleet, this.present);
				if (System.nanoTime() >= deadline) {
					break;
				}
				replaceProducers(fleet, this.pinned);
				replaceNodes(fleet, this.pinned);
			}
			fleet.stopProducers();
			Verdict verdict = fleet.judge(LONG);
			List<Violation> violations = verdict.violations();
			assertThat(violations).as("history in %s, %d violations", fleet.directory(), violations.size()).isEmpty();
			assertThat(verdict.figures().acknowledged()).isPositive();
		}
	}

	private static void startProducers(Fleet fleet) {
		fleet.startMixedProducer(RATE, 300);
		fleet.startMixedProducer(RATE, 300);
	}

	/** Without them, what is on hold would stay. */
	private void startOperators(Fleet fleet) {
		fleet.startOperator(1);
		fleet.run(this.present);
		fleet.startOperator(2);
	}

	private static void replaceProducers(Fleet fleet, String classPath) {
		fleet.run(classPath);
		fleet.stopProducers();
		startProducers(fleet);
	}

	/** Replaces one node after the other; every third one dies. */
	private void replaceNodes(Fleet fleet, String classPath) {
		fleet.run(classPath);
		for (ProgramProcess old : fleet.nodes()) {
			fleet.startNodes(1);
			if (this.replaced++ % 3 == 2) {
				fleet.kill(old);
			}
			else {
				fleet.terminate(old);
			}
		}
		awaitRuns(fleet);
	}

	/** A later build has written a shard: it is left alone, and the others go on. */
	private static void refuseAShard(Fleet fleet) {
		fleet.changeFlags(NEWER);
		Awaitility.await()
			.atMost(LONG)
			.until(() -> fleet.nodes()
				.stream()
				.anyMatch((node) -> node.says("was written by a newer version; this node doesn't serve it")));
		awaitRuns(fleet);
		fleet.changeFlags(-NEWER);
		Awaitility.await()
			.atMost(LONG)
			.until(() -> fleet.nodes().stream().anyMatch((node) -> node.says("can be served by this version again")));
	}

	private static void awaitRuns(Fleet fleet) {
		long before = fleet.performs();
		Awaitility.await().atMost(LONG).until(() -> fleet.performs() >= before + RUNS);
	}

}
