package io.lowkiq.autoconfigure.redis;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisProperties;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.core.env.Environment;

/**
 * The properties of the connection for jobs: those of {@code lowkiq.redis.*}, and, unless
 * they have an address, those of {@code spring.data.redis.*} where they say nothing. So a
 * timeout alone never moves jobs to another server.
 */
final class JobsRedisProperties {

	private static final String OWN = LowkiqRedisProperties.PREFIX;

	private static final String APPLICATION = "spring.data.redis";

	private static final List<String> ADDRESS = List.of("url", "host", "port", "cluster.nodes", "sentinel.nodes",
			"sentinel.master", "masterreplica.nodes");

	private final Binder binder;

	private final boolean addressKnown;

	/** The properties. */
	JobsRedisProperties(Environment environment, boolean addressKnown) {
		this.binder = Binder.get(environment);
		this.addressKnown = addressKnown;
	}

	/** Whether any property of {@code lowkiq.redis.*} is set. */
	boolean isAnySet() {
		return this.binder.bind(OWN, LowkiqRedisProperties.class).isBound();
	}

	/** Whether the jobs have a server of their own. */
	boolean hasAddress() {
		return this.addressKnown || hasAddress(OWN);
	}

	/** Whether {@code spring.data.redis.*} says where the application's server is. */
	boolean hasAddressOfApplication() {
		return hasAddress(APPLICATION);
	}

	private boolean hasAddress(String prefix) {
		return ADDRESS.stream()
			.anyMatch((property) -> this.binder.bind(prefix + "." + property, Bindable.of(Object.class)).isBound()
					|| this.binder.bind(prefix + "." + property, Bindable.listOf(String.class)).isBound());
	}

	/**
	 * The properties, checked.
	 * @param bundles the TLS bundles of the application; null if there are none
	 * @throws RedisPropertiesException if one of {@code lowkiq.redis.*} can't work
	 */
	DataRedisProperties get(@Nullable SslBundles bundles) {
		DataRedisProperties properties = new DataRedisProperties();
		if (!hasAddress()) {
			this.binder.bind(APPLICATION, Bindable.ofInstance(properties));
		}
		this.binder.bind(OWN, Bindable.ofInstance(properties));
		if (this.addressKnown) {
			// Its scheme would decide on TLS for the other address
			properties.setUrl(null);
		}
		check(properties, bundles);
		return properties;
	}

	private static void check(DataRedisProperties properties, @Nullable SslBundles bundles) {
		if (properties.getPort() < 1 || properties.getPort() > 65_535) {
			throw refused("port", properties.getPort(), "a number from 1 to 65535");
		}
		if (properties.getDatabase() < 0) {
			throw refused("database", properties.getDatabase(), "0 or more");
		}
		String bundle = properties.getSsl().getBundle();
		if (bundle != null && (bundles == null || !bundles.getBundleNames().contains(bundle))) {
			throw refused("ssl.bundle", bundle, "the name of a bundle of spring.ssl.bundle.*");
		}
		DataRedisProperties.Sentinel sentinel = properties.getSentinel();
		if (sentinel != null && (sentinel.getMaster() == null || sentinel.getMaster().isBlank())) {
			throw refused("sentinel.master", "", "the name of the master, as the sentinels know it");
		}
		if (sentinel != null && (sentinel.getNodes() == null || sentinel.getNodes().isEmpty())) {
			throw refused("sentinel.nodes", "", "the addresses of the sentinels, as host:port");
		}
	}

	private static RedisPropertiesException refused(String property, Object value, String expected) {
		return new RedisPropertiesException("%s.%s is '%s'; it must be %s".formatted(OWN, property, value, expected),
				"Change the property");
	}

}
