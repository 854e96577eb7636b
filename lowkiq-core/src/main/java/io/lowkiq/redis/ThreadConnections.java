package io.lowkiq.redis;

import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.masterreplica.StatefulRedisMasterReplicaConnection;
import io.lettuce.core.resource.Transports;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Makes connections of single threads, where the application's connections are Lettuce's,
 * to one server or the master that Sentinel names, and use epoll, as they do on Linux
 * with the library that the starter brings.
 * <p>
 * Not to a cluster, whose client must be served all the time, to follow the topology; and
 * not where reads go to replicas.
 */
final class ThreadConnections {

	private static final Logger logger = LoggerFactory.getLogger(ThreadConnections.class);

	/** By its name, because the client library may be another one. */
	private static final String FACTORY = "org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory";

	private ThreadConnections() {
	}

	/**
	 * A connection for the calling thread.
	 * @param factory the application's connections
	 * @return a connection, to be closed by the thread; null where there can be none, or
	 * Redis can't be reached
	 */
	static @Nullable ThreadConnection forThisThread(RedisConnectionFactory factory) {
		// One of a subclass may do what a copy doesn't
		if (!factory.getClass().getName().equals(FACTORY)) {
			return null;
		}
		LettuceConnectionFactory lettuce = (LettuceConnectionFactory) factory;
		try {
			return (isServedByEpoll() && LettuceCopies.canCopy(lettuce) && isToOneServer(lettuce))
					? new ThreadConnection(lettuce) : null;
		}
		catch (RuntimeException ex) {
			logger.warn("This thread shares the application's connection to Redis, which is slower: {}",
					ex.getMessage());
			return null;
		}
	}

	@SuppressWarnings("deprecation") // nothing else tells the connection of commands
	private static boolean isToOneServer(LettuceConnectionFactory factory) {
		try (RedisConnection connection = factory.getConnection()) {
			return connection.getNativeConnection() instanceof RedisAsyncCommands<?, ?> commands
					&& !(commands.getStatefulConnection() instanceof StatefulRedisMasterReplicaConnection);
		}
	}

	/** That of NIO swallows the interrupt of a thread that waits. */
	private static boolean isServedByEpoll() {
		return Transports.socketChannelClass().getSimpleName().equals("EpollSocketChannel");
	}

}
