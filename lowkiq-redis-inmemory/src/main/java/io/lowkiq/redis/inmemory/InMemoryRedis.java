package io.lowkiq.redis.inmemory;

import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.lowkiq.redis.RedisStore;
import org.jspecify.annotations.Nullable;
import org.luaj.vm2.LuaString;

/**
 * A Redis in the JVM. It runs scripts and the commands that they use, as Redis 7 does,
 * and is almost as strict as a cluster: all keys of a command have to be in one slot, and
 * a script may use only keys in the slots of those that it was given, which a cluster
 * {@linkplain Faults#spread() refuses} if there are several.
 * <p>
 * Replies are byte arrays, {@link Long}s, Strings for a status such as {@code OK}, lists
 * of these, or null. Calls are executed one after the other, by the threads that make
 * them, which are answered at once unless the server {@linkplain Faults#hang() hangs}. A
 * call ends with a {@link RedisErrorException} if the reply is an error, and with an
 * {@link IOException} if there is none. Thread-safe.
 */
public final class InMemoryRedis {

	/** Guards all state of the server. */
	private final ReentrantLock lock = new ReentrantLock();

	private final Subscriptions subscriptions = new Subscriptions(this.lock);

	private final Faults faults;

	private final Commands commands;

	private final Scripts scripts;

	/** Replaced by a failover. */
	private Keyspace keyspace;

	public InMemoryRedis(InstantSource clock) {
		this.faults = new Faults(this, clock);
		this.keyspace = new Keyspace(this.faults::now);
		this.commands = new Commands(
				(keyspace, arguments) -> this.subscriptions.publish(arguments.get(1), arguments.get(2)));
		this.scripts = new Scripts(this.commands, this.faults, this::keyspace);
	}

	/** A storage on an empty server. */
	public static RedisStore newStore(InstantSource clock) {
		return new InMemoryRedis(clock).store();
	}

	public RedisStore store() {
		return new RedisStore(new InMemoryConnections(this), "lowkiq", null);
	}

	/** The faults that this server can have. */
	public Faults faults() {
		return this.faults;
	}

	public CompletableFuture<@Nullable Object> call(byte[]... command) {
		Arguments arguments = new Arguments(strings(command).toArray(LuaString[]::new));
		return submit(() -> {
			Command known = this.commands.find(arguments);
			if (known == null) {
				throw new RedisErrorException("ERR unknown command '%s'".formatted(arguments.text(0)));
			}
			if (!known.isArity(arguments.count())) {
				throw RedisErrorException.arity(known.name());
			}
			this.faults.checkSlot(Slots.of(known.keys().of(arguments)));
			this.faults.checkMemory(known.access());
			return known.action().execute(this.keyspace, arguments);
		});
	}

	public CompletableFuture<@Nullable Object> eval(byte[] script, byte[][] keys, byte[]... arguments) {
		return run(() -> this.scripts.load(script), keys, arguments);
	}

	/** Runs a script that has been run since the server began, or forgot its scripts. */
	public CompletableFuture<@Nullable Object> evalsha(String sha, byte[][] keys, byte[]... arguments) {
		return run(() -> sha, keys, arguments);
	}

	private CompletableFuture<@Nullable Object> run(Supplier<String> sha, byte[][] keys, byte[][] arguments) {
		List<LuaString> givenKeys = strings(keys);
		List<LuaString> givenArguments = strings(arguments);
		return submit(() -> {
			this.faults.checkSlots(Slots.all(givenKeys));
			return this.scripts.run(sha.get(), givenKeys, givenArguments);
		});
	}

	public CompletableFuture<Runnable> subscribe(Subscriber subscriber, byte[]... channels) {
		Set<LuaString> names = strings(channels).stream().collect(Collectors.toUnmodifiableSet());
		return this.<Runnable>ask(() -> this.subscriptions.add(names, subscriber));
	}

	private CompletableFuture<@Nullable Object> submit(Supplier<@Nullable Object> work) {
		return ask(() -> reply(work.get()));
	}

	private <T extends @Nullable Object> CompletableFuture<T> ask(Supplier<T> work) {
		Pending<T> call = new Pending<>(work, new CompletableFuture<>());
		Runnable answer = locked(() -> this.faults.isHeld(call) ? () -> {
		} : execute(call));
		this.subscriptions.deliverAll();
		answer.run();
		return call.answer();
	}

	record Pending<T extends @Nullable Object>(Supplier<T> work, CompletableFuture<T> answer) {
	}

	/** Executes a call; returns what answers it, without the lock. */
	private <T extends @Nullable Object> Runnable execute(Pending<T> call) {
		Faults.Loss loss = this.faults.takeLoss();
		try {
			T reply = (loss != Faults.Loss.CALL) ? call.work().get() : null;
			if (loss == Faults.Loss.NONE) {
				return () -> call.answer().complete(reply);
			}
		}
		catch (RedisErrorException ex) {
			if (loss == Faults.Loss.NONE) {
				return () -> call.answer().completeExceptionally(ex);
			}
		}
		return () -> disconnect(call);
	}

	private static void disconnect(Pending<?> call) {
		call.answer().completeExceptionally(new IOException("Connection closed by the server"));
	}

	/** Executes calls that were held, or answers that the connection is lost. */
	void release(List<Pending<?>> held, boolean disconnects) {
		for (Pending<?> call : held) {
			Runnable answer = disconnects ? () -> disconnect(call) : locked(() -> execute(call));
			this.subscriptions.deliverAll();
			answer.run();
		}
		this.subscriptions.deliverAll();
	}

	<T extends @Nullable Object> T locked(Supplier<T> work) {
		this.lock.lock();
		try {
			return work.get();
		}
		finally {
			this.lock.unlock();
		}
	}

	Keyspace keyspace() {
		return this.keyspace;
	}

	/**
	 * Becomes a server with other data, which knows no scripts and has no subscribers.
	 */
	void become(Keyspace other) {
		this.keyspace = other;
		this.scripts.forgetAll();
		this.subscriptions.dropAll();
	}

	Scripts scripts() {
		return this.scripts;
	}

	Subscriptions subscriptions() {
		return this.subscriptions;
	}

	private static List<LuaString> strings(byte[][] values) {
		return Arrays.stream(values).map((value) -> LuaString.valueUsing(value.clone())).toList();
	}

	static byte[] bytes(LuaString string) {
		return Arrays.copyOfRange(string.m_bytes, string.m_offset, string.m_offset + string.m_length);
	}

	private static @Nullable Object reply(@Nullable Object value) {
		if (value instanceof LuaString string) {
			return bytes(string);
		}
		if (value instanceof Status status) {
			return status.text();
		}
		if (value instanceof List<?> list) {
			List<@Nullable Object> elements = new ArrayList<>(list.size());
			list.forEach((element) -> elements.add(reply(element)));
			return elements;
		}
		return value;
	}

}
