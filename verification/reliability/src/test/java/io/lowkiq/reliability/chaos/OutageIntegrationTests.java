package io.lowkiq.reliability.chaos;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;

import io.lowkiq.reliability.check.Figures;
import io.lowkiq.reliability.check.Verdict;
import io.lowkiq.reliability.history.FaultKind;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TcpProxy;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * One kind of trouble at a time, judged from the workers' own record.
 */
@Tag("long")
class OutageIntegrationTests {

	private static final Duration LONG = Duration.ofMinutes(3);

	private static Figures kept(Fleet fleet) {
		Verdict verdict = fleet.judge(LONG);
		assertThat(verdict.violations()).as("history in %s", fleet.directory()).isEmpty();
		return verdict.figures();
	}

	private static void during(Fleet fleet, FaultKind kind, Runnable harm) {
		long fault = fleet.begin(kind, "*");
		harm.run();
		fleet.over(fault);
	}

	private static void awaitPerforms(Fleet fleet, int more) {
		long before = fleet.performs();
		Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> fleet.performs() >= before + more);
	}

	/** Changes to 1,000 orders, 8 producers, 4 queues, a SIGKILL. */
	@Test
	void eightProducersAndAKillInTheMiddleLoseNothing() {
		int payloads = Integer.getInteger("chaos.payloads", 50_000);
		try (Fleet fleet = Fleet.onOneServer("throughput", 50)) {
			fleet.startNodes(1);
			for (int producer = 0; producer < 8; producer++) {
				fleet.startProducer(payloads / 8, 0, 1_000, true);
			}
			awaitPerforms(fleet, payloads / 20);
			fleet.kill(fleet.nodes().get(0));
			fleet.startNodes(1);
			fleet.awaitProducers(LONG);
			Figures figures = kept(fleet);
			assertThat(figures.acknowledged()).isEqualTo(payloads);
			assertThat(figures.failures()).isPositive();
			assertThat(figures.recoveries()).hasSizeLessThanOrEqualTo(1);
		}
	}

	@Test
	void redisMayBeAbsentAtTheStart() {
		try (Fleet fleet = Fleet.onOneServer("absent", 20)) {
			RedisProcess redis = fleet.redis();
			redis.stop();
			ProgramProcess node = fleet.startNode();
			fleet.startProducer(500, 0, 50, false);
			node.awaitLine("STARTING", Duration.ofSeconds(60));
			assertThat(node.printed("READY")).isFalse();
			during(fleet, FaultKind.RESTART, redis::restart);
			node.awaitLine("READY", Duration.ofSeconds(60));
			fleet.awaitProducers(LONG);
			assertThat(kept(fleet).acknowledged()).isEqualTo(500);
		}
	}

	@Test
	void workGoesOnByItselfAfterRedisWasAway() {
		try (Fleet fleet = Fleet.onOneServer("outages", 20)) {
			RedisProcess redis = fleet.redis();
			fleet.startNodes(1);
			fleet.startProducer(Integer.MAX_VALUE, 500, 100, false);
			awaitPerforms(fleet, 100);
			during(fleet, FaultKind.SCRIPT_FLUSH, () -> redis.call("SCRIPT", "FLUSH"));
			awaitPerforms(fleet, 100);
			during(fleet, FaultKind.RESTART, redis::restart);
			awaitPerforms(fleet, 100);
			during(fleet, FaultKind.CLIENT_PAUSE, () -> {
				redis.pause();
				LockSupport.parkNanos(Duration.ofSeconds(10).toNanos());
				redis.resume();
			});
			awaitPerforms(fleet, 100);
			fleet.stopProducers();
			List<ProgramProcess> nodes = fleet.nodes();
			assertThat(nodes).allMatch(ProgramProcess::isAlive);
			assertThat(kept(fleet).failures()).isPositive();
		}
	}

	/** Each time, all nodes lose their sessions, and none of them has crashed. */
	@Test
	void jobsThatOutlastOutagesDoNotDie() {
		try (Fleet fleet = Fleet.onOneServer("long-jobs", 0)) {
			fleet.startNodes(2, 20);
			fleet.startLongProducer(16);
			fleet.awaitProducers(LONG);
			for (int outage = 0; outage < 8; outage++) {
				awaitPerforms(fleet, 1);
				String millis = Long.toString(fleet.lease().toMillis() + 1_500);
				during(fleet, FaultKind.OUTAGE, () -> {
					fleet.redis().call("CLIENT", "PAUSE", millis);
					LockSupport.parkNanos(Duration.ofMillis(Long.parseLong(millis)).toNanos());
				});
			}
			Figures figures = kept(fleet);
			assertThat(figures.dead()).isZero();
			assertThat(figures.restored()).isPositive();
		}
	}

	/** SIGTERM while jobs run. */
	@Test
	void terminatedNodeFinishesWhatRunsAndGivesTheRestBack() {
		try (Fleet fleet = Fleet.onOneServer("terminate", 0)) {
			fleet.startNodes(1);
			fleet.startProducer(Integer.MAX_VALUE, 1_000, 500, false);
			awaitPerforms(fleet, 200);
			fleet.startNodes(1);
			ProgramProcess node = fleet.nodes().get(0);
			awaitPerforms(fleet, 200);
			fleet.terminate(node);
			assertThat(node.printed("STOPPED")).isTrue();
			awaitPerforms(fleet, 200);
			fleet.stopProducers();
			Figures figures = kept(fleet);
			assertThat(figures.cutOff()).isZero();
			assertThat(figures.restored()).isZero();
			assertThat(figures.duplicates()).isZero();
		}
	}

	/**
	 * What was put back for a lost answer is not performed elsewhere until it has ended.
	 */
	@Test
	void nodeThatLostAnswersAndStopsPerformsNothingTwiceAtOnce() {
		try (Fleet fleet = Fleet.onOneServer("orphaned", 0)) {
			fleet.startNodes(2, 50);
			fleet.startSlowProducer(40, 60);
			awaitPerforms(fleet, 100);
			for (int i = 0; i < 3; i++) {
				ProgramProcess node = fleet.nodes().get(0);
				TcpProxy proxy = Objects.requireNonNull(fleet.servers().proxy(node.name()));
				fleet.startNodes(1, 50);
				long fault = fleet.begin(FaultKind.LOST_ANSWERS, node.name());
				proxy.loseAnswers();
				LockSupport.parkNanos(Duration.ofMillis(700).toNanos());
				proxy.heal();
				fleet.over(fault);
				awaitPerforms(fleet, 30);
				fleet.terminate(node);
			}
			fleet.stopProducers();
			assertThat(kept(fleet).restored()).isPositive();
		}
	}

	@Test
	void rollingDeployCostsNoJobARetry() {
		try (Fleet fleet = Fleet.onOneServer("deploy", 0)) {
			fleet.startNodes(3);
			fleet.startProducer(Integer.MAX_VALUE, 500, 300, false);
			awaitPerforms(fleet, 200);
			for (ProgramProcess old : fleet.nodes()) {
				fleet.startNodes(1);
				fleet.terminate(old);
				awaitPerforms(fleet, 100);
			}
			fleet.stopProducers();
			Figures figures = kept(fleet);
			assertThat(figures.failures()).isZero();
			assertThat(figures.restored()).isZero();
			assertThat(figures.duplicates()).isZero();
			System.out.printf("Rolling deploy: longest time without a perform %d ms%n", figures.longestGap());
		}
	}

	@Test
	void scalingFromOneNodeToSixAndBackCostsNoJobARetry() {
		try (Fleet fleet = Fleet.onOneServer("scale", 0)) {
			fleet.startNodes(1);
			fleet.startProducer(Integer.MAX_VALUE, 500, 300, false);
			awaitPerforms(fleet, 200);
			fleet.startNodes(5);
			awaitPerforms(fleet, 200);
			while (fleet.nodes().size() > 1) {
				fleet.terminate(fleet.nodes().get(0));
			}
			awaitPerforms(fleet, 200);
			fleet.stopProducers();
			Figures figures = kept(fleet);
			assertThat(figures.failures()).isZero();
			assertThat(figures.restored()).isZero();
			assertThat(figures.duplicates()).isZero();
		}
	}

	@Test
	void poisonEndsInTheMorgueAndTheOthersGoOn() {
		try (Fleet fleet = Fleet.onOneServer("poison", 0)) {
			fleet.startNodes(2);
			fleet.startPoison();
			fleet.startProducer(2_000, 500, 100, false);
			for (int kills = 0; kills < 4; kills++) {
				Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> !fleet.reap().isEmpty());
				fleet.startNodes(1);
			}
			fleet.awaitProducers(LONG);
			Figures figures = kept(fleet);
			assertThat(figures.dead()).isEqualTo(1);
			assertThat(figures.faults()).containsEntry(FaultKind.POISON, 4);
			assertThat(figures.failures()).isZero();
		}
	}

}
