package io.lowkiq.sample.redis;

import java.util.List;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Matches when no property says where Redis is. */
final class NoRedisConfigured extends SpringBootCondition {

	private static final List<String> ADDRESSES = List.of("url", "host", "port", "sentinel.master", "sentinel.nodes",
			"cluster.nodes", "masterreplica.nodes");

	@Override
	public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
		ConditionMessage.Builder message = ConditionMessage.forCondition("No Redis Configured");
		Binder binder = Binder.get(context.getEnvironment());
		for (String address : ADDRESSES) {
			String property = "spring.data.redis." + address;
			Bindable<?> type = address.endsWith("nodes") ? Bindable.listOf(String.class) : Bindable.of(String.class);
			if (binder.bind(property, type).isBound()) {
				return ConditionOutcome.noMatch(message.foundExactly(property));
			}
		}
		return ConditionOutcome.match(message.didNotFind("property").items("spring.data.redis.url"));
	}

}
