package io.lowkiq.autoconfigure.health;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.lowkiq.admin.ForeignQueues;
import io.lowkiq.admin.ForeignQueues.ForeignQueue;
import io.lowkiq.admin.ForeignQueues.Kind;
import io.lowkiq.admin.UnservedQueues;
import io.lowkiq.autoconfigure.LowkiqProperties;
import io.lowkiq.autoconfigure.LowkiqServerAutoConfiguration;
import io.lowkiq.autoconfigure.ServedWorkers;
import io.lowkiq.engine.LowkiqServer;
import io.lowkiq.internal.BackgroundLoop;
import io.lowkiq.internal.LogText;
import io.lowkiq.metrics.QueueStatistics;
import io.lowkiq.redis.RedisStore;
import io.lowkiq.store.inspection.StrandedShards;
import io.lowkiq.store.node.Build;
import io.lowkiq.store.node.Forgotten;
import io.lowkiq.store.node.Member;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** Auto-configuration of the health indicator {@code lowkiq}. */
@AutoConfiguration(after = LowkiqServerAutoConfiguration.class)
@ConditionalOnClass({ HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class })
@ConditionalOnBean({ LowkiqServer.class, RedisStore.class, QueueStatistics.class })
public final class LowkiqHealthContributorAutoConfiguration {

	private static final Duration TRANSFER = Duration.ofSeconds(5);

	@Bean
	@ConditionalOnEnabledHealthIndicator("lowkiq")
	@ConditionalOnMissingBean(name = { "lowkiqHealthIndicator", "lowkiqHealthContributor" })
	LowkiqHealthIndicator lowkiqHealthIndicator(LowkiqServer server, RedisStore store, QueueStatistics statistics,
			ObjectProvider<BackgroundLoop.Owner> loops, ServedWorkers workers, LowkiqProperties properties,
			Environment environment) {
		Duration patience = properties.server().leaseDuration().multipliedBy(4).dividedBy(3).plus(TRANSFER);
		return new LowkiqHealthIndicator(server::status, statistics::snapshot,
				new UnownedShards(System::nanoTime, patience),
				details(store, environment.getProperty("spring.application.name", "")),
				() -> loops.orderedStream().map((owner) -> owner.loop().status()).toList(),
				idleBecause(workers, properties));
	}

	private static Map<String, Supplier<?>> details(RedisStore store, String application) {
		Map<String, Supplier<?>> details = new LinkedHashMap<>();
		details.put("forgotten", () -> Forgotten.recent(store.nodes()).stream().map(Forgotten::sentence).toList());
		// Another application may have been shut down on purpose
		details.put("queuesWithoutNode", new UnservedQueues(store)::find);
		details.put("strandedJobs", () -> store.stranded().stream().map(StrandedShards::sentence).toList());
		details.put("foreignQueues", () -> foreign(store, application));
		details.put("otherVersions", () -> otherVersions(store));
		return details;
	}

	private static @Nullable String idleBecause(ServedWorkers workers, LowkiqProperties properties) {
		boolean onlyEnqueues = !properties.server().enabled() || workers.registry().all().isEmpty();
		return (workers.serverProblem() == null && onlyEnqueues) ? "this application only enqueues"
				: workers.serverProblem();
	}

	/** The living nodes of other versions than this one, by node. */
	private static Map<String, String> otherVersions(RedisStore store) {
		Map<String, String> versions = new TreeMap<>();
		store.livingNodes()
			.look()
			.living()
			.stream()
			.map(Member::info)
			.filter((node) -> !node.build().version().equals(Build.THIS.version()))
			.forEach((node) -> versions.put(node.node(),
					node.build().version().isEmpty() ? "unknown" : LogText.of(node.build().version())));
		return versions;
	}

	/** The queues of this application that are another one's with other payloads. */
	private static Map<String, String> foreign(RedisStore store, String application) {
		return new ForeignQueues(store).of(application)
			.stream()
			.filter((queue) -> queue.kind() == Kind.FOREIGN)
			.collect(Collectors.toMap(ForeignQueue::queue, ForeignQueue::sentence));
	}

}
