package io.lowkiq.reliability.chaos;

import java.util.List;
import java.util.Random;
import java.util.Set;

import io.lowkiq.reliability.history.FaultKind;
import io.lowkiq.testing.RedisProcess;
import io.lowkiq.testing.TcpProxy;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** The Redis of a fleet, and what can happen to it. Not thread-safe. */
interface Servers extends AutoCloseable {

	/** Where a node connects to: host and port, or several of them for a cluster. */
	String addressFor(String node);

	/** What the command of a node begins with, so that it is in its network. */
	List<String> enterNetwork();

	/** Where producers and operators connect to. */
	String address();

	/** The network between a node and Redis; null if nothing can happen to it. */
	@Nullable TcpProxy proxy(String node);

	/** A node has ended. */
	void ended(String node);

	/** For how many replicas a producer waits so that a failover loses nothing. */
	int replicas();

	/** The servers that are masters at the moment. */
	List<RedisProcess> masters();

	LettuceConnectionFactory connect();

	/** What can happen to it and to its network. */
	Set<FaultKind> kinds();

	/** A replica takes the place of a master. */
	void failOver(Random random);

	/** Moves slots of the cluster, key by key. */
	void move(Random random);

	/** The packets of the present connections of a node are dropped. */
	void drop(TcpProxy proxy);

	/** The clock of the masters jumps. */
	void jump(Random random);

	/** The clock of the masters goes back by some seconds. */
	void goBack();

	@Override
	void close();

}
