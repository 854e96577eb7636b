package io.lowkiq.autoconfigure.modulith;

import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.modulith.events.RoutingTarget;
import org.springframework.modulith.events.support.BrokerRouting;
import org.springframework.modulith.events.support.EventExternalizationTransport;

import io.lowkiq.LowkiqClient;

/** Enqueues events whose target is {@code lowkiq:<queue>::<id>}. Thread-safe. */
final class JobTransport implements EventExternalizationTransport {

	private static final String PREFIX = "lowkiq:";

	private final LowkiqClient client;

	private final StandardEvaluationContext context;

	JobTransport(LowkiqClient client, StandardEvaluationContext context) {
		this.client = client;
		this.context = context;
	}

	@Override
	public CompletableFuture<?> externalize(Object payload, RoutingTarget target) {
		if (!target.getTarget().startsWith(PREFIX)) {
			return CompletableFuture.completedFuture(null);
		}
		BrokerRouting routing = BrokerRouting.of(target, this.context);
		String queue = routing.getTarget(payload).substring(PREFIX.length()).trim();
		String id = (target.getKey() != null) ? routing.getKey(payload) : null;
		this.client.enqueue(queue, checked(id, target), payload);
		return CompletableFuture.completedFuture(null);
	}

	private static String checked(@Nullable String id, RoutingTarget target) {
		if (id == null) {
			throw new IllegalStateException(
					"The target '%s' has no id: write lowkiq:<queue>::<id>, such as lowkiq:orders::#{orderId}"
						.formatted(target));
		}
		return id;
	}

}
