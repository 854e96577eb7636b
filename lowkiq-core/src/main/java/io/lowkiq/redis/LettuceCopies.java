package io.lowkiq.redis;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ReadFrom;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.event.DefaultEventPublisherOptions;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.EventLoopGroupProvider;

import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;

/**
 * Connection factories to the same Redis with the same settings as another one, but with
 * resources of their own.
 */
final class LettuceCopies {

	private LettuceCopies() {
	}

	/**
	 * Whether a factory tells where it leads to. One that was made with a
	 * {@code RedisConfiguration} of a type that the compiler didn't know keeps it for
	 * itself. One to a master and its replicas does, too, and can't be told here: its
	 * connections tell.
	 * @param factory the factory, not one to a master and its replicas
	 * @return true if it does, and that is no cluster
	 */
	static boolean canCopy(LettuceConnectionFactory factory) {
		if (factory.isClusterAware()) {
			return false;
		}
		RedisStandaloneConfiguration told = factory.getStandaloneConfiguration();
		return factory.isRedisSentinelAware() || factory.getSocketConfiguration() != null
				|| (told.getHostName().equals(factory.getHostName()) && told.getPort() == factory.getPort()
						&& told.getDatabase() == factory.getDatabase()
						&& password(told).equals(Objects.requireNonNullElse(factory.getPassword(), "")));
	}

	private static String password(RedisStandaloneConfiguration server) {
		return server.getPassword().map(String::new).orElse("");
	}

	/**
	 * Resources that share all with others but the event loops. Not {@code mutate()},
	 * whose resources end what they share when they are shut down.
	 * @param given the others
	 * @param eventLoops what gives the event loops; left alone at the end
	 * @return resources, to be shut down by the caller
	 */
	static ClientResources resources(ClientResources given, EventLoopGroupProvider eventLoops) {
		return ClientResources.builder()
			.eventLoopGroupProvider(eventLoops)
			.eventExecutorGroup(given.eventExecutorGroup())
			.timer(given.timer())
			.eventBus(given.eventBus())
			.commandLatencyRecorder(given.commandLatencyRecorder())
			.commandLatencyPublisherOptions(DefaultEventPublisherOptions.disabled())
			.addressResolverGroup(given.addressResolverGroup())
			.socketAddressResolver(given.socketAddressResolver())
			.reconnectDelay(given::reconnectDelay)
			.nettyCustomizer(given.nettyCustomizer())
			.tracing(given.tracing())
			.build();
	}

	/**
	 * A copy of a factory that leads to one server, or to the master that Sentinel names.
	 * @param factory the factory
	 * @param resources what the copy uses
	 * @return a factory that is not started; to be destroyed by the caller, which leaves
	 * the resources alone
	 */
	static LettuceConnectionFactory of(LettuceConnectionFactory factory, ClientResources resources) {
		return new LettuceConnectionFactory(server(factory),
				new WithResources(factory.getClientConfiguration(), resources));
	}

	private static RedisConfiguration server(LettuceConnectionFactory factory) {
		RedisConfiguration sentinel = factory.getSentinelConfiguration();
		RedisConfiguration socket = factory.getSocketConfiguration();
		if (sentinel != null) {
			return sentinel;
		}
		return Objects.requireNonNullElseGet(socket, factory::getStandaloneConfiguration);
	}

	/**
	 * The settings of the other factory, without a pool.
	 *
	 * @param given the settings
	 * @param resources what is used
	 */
	private record WithResources(LettuceClientConfiguration given,
			ClientResources resources) implements LettuceClientConfiguration {

		@Override
		public Optional<ClientResources> getClientResources() {
			return Optional.of(this.resources);
		}

		@Override
		public boolean isUseSsl() {
			return this.given.isUseSsl();
		}

		@Override
		@SuppressWarnings("deprecation")
		public boolean isVerifyPeer() {
			return this.given.isVerifyPeer();
		}

		@Override
		public SslVerifyMode getVerifyMode() {
			return this.given.getVerifyMode();
		}

		@Override
		public boolean isStartTls() {
			return this.given.isStartTls();
		}

		@Override
		public Optional<ClientOptions> getClientOptions() {
			return this.given.getClientOptions();
		}

		@Override
		public Optional<String> getClientName() {
			return this.given.getClientName();
		}

		@Override
		public Optional<ReadFrom> getReadFrom() {
			return this.given.getReadFrom();
		}

		@Override
		public Optional<RedisCredentialsProviderFactory> getRedisCredentialsProviderFactory() {
			return this.given.getRedisCredentialsProviderFactory();
		}

		@Override
		public Duration getCommandTimeout() {
			return this.given.getCommandTimeout();
		}

		@Override
		public Duration getShutdownTimeout() {
			return this.given.getShutdownTimeout();
		}

		@Override
		public Duration getShutdownQuietPeriod() {
			return Duration.ZERO;
		}

	}

}
