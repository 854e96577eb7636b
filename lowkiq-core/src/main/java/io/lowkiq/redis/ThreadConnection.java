package io.lowkiq.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandInterruptedException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.resource.ClientResources;
import io.lowkiq.store.StoreException;
import io.netty.channel.ManualIoEventLoop;
import io.netty.channel.epoll.EpollIoHandler;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A connection that one thread has for itself and serves by itself: it writes the call,
 * waits for the answer and reads it. On the connection that all share, each call is
 * passed to the client library's thread and each answer back, which takes two processors
 * longer than all that Redis does for one job.
 * <p>
 * It is made with the first call; and anew after a call that Redis did not answer, or
 * answered as a replica does. Meanwhile the client library connects again by itself, and
 * repeats what was not answered, as it does on a shared connection. While the thread does
 * other things, nobody looks at the connection; what happened to it then is seen by the
 * next call.
 * <p>
 * Only for the thread that made it.
 */
final class ThreadConnection implements ScriptCaller, AutoCloseable {

	/**
	 * How soon a call is seen to have ended other than by what was read: its thread is
	 * interrupted, or the client library's timer gave it up.
	 */
	private static final long LONGEST_WAIT = TimeUnit.MILLISECONDS.toNanos(50);

	private static final Duration LONGEST_CLOSE = Duration.ofSeconds(5);

	private final LettuceConnectionFactory application;

	private @Nullable Served served;

	/**
	 * Makes it, without calling Redis.
	 * @param application the application's connections, to the same Redis with the same
	 * settings
	 */
	ThreadConnection(LettuceConnectionFactory application) {
		this.application = application;
	}

	@Override
	public Reply run(LuaScript script, List<byte[]> keys, List<byte[]> arguments) {
		try {
			return evaluate(served(), script, keys.toArray(byte[][]::new), arguments.toArray(byte[][]::new));
		}
		catch (RuntimeException ex) {
			if (!(ex instanceof RedisCommandExecutionException) || ScriptRunner.isFromReplica(ex)) {
				close();
			}
			throw new StoreException(
					"Redis did not answer script %s as it should: %s".formatted(script.name(), ex.getMessage()), ex);
		}
	}

	@Override
	public void leave() {
		close();
	}

	@Override
	public void close() {
		Served open = this.served;
		this.served = null;
		if (open != null) {
			open.close();
		}
	}

	private Served served() {
		Served open = this.served;
		if (open == null) {
			open = Served.open(this.application);
			this.served = open;
		}
		return open;
	}

	private static Reply evaluate(Served served, LuaScript script, byte[][] keys, byte[][] arguments) {
		RedisAsyncCommands<byte[], byte[]> commands = served.connection().async();
		List<@Nullable Object> values;
		try {
			values = served.await(commands.evalsha(script.sha(), ScriptOutputType.MULTI, keys, arguments));
		}
		catch (RedisNoScriptException ex) {
			values = served.await(commands.eval(script.text(), ScriptOutputType.MULTI, keys, arguments));
		}
		return new Reply(script.name(), (values != null) ? values : List.of());
	}

	/**
	 * An open connection.
	 *
	 * @param loop reads and writes when the thread tells it to
	 * @param resources what the client of this connection alone has
	 * @param factory has the client of this connection alone
	 * @param connection the connection
	 */
	private record Served(ManualIoEventLoop loop, ClientResources resources, LettuceConnectionFactory factory,
			StatefulRedisConnection<byte[], byte[]> connection) {

		static Served open(LettuceConnectionFactory application) {
			ClientResources shared = application.getRequiredNativeClient().getResources();
			ManualIoEventLoop loop = new ManualIoEventLoop(Thread.currentThread(), EpollIoHandler.newFactory());
			ClientResources resources = LettuceCopies.resources(shared, new OneEventLoop(loop));
			LettuceConnectionFactory factory = LettuceCopies.of(application, resources);
			try {
				factory.afterPropertiesSet();
				factory.start();
				RedisClient client = (RedisClient) factory.getRequiredNativeClient();
				return new Served(loop, resources, factory,
						whileServing(loop, () -> client.connect(ByteArrayCodec.INSTANCE)));
			}
			catch (RuntimeException ex) {
				close(loop, resources, factory);
				throw ex;
			}
		}

		/** Serves the connection until the answer is there. */
		<T> T await(RedisFuture<T> answer) {
			long timeout = this.connection.getTimeout().toNanos();
			long start = System.nanoTime();
			while (!answer.isDone()) {
				this.loop.run(LONGEST_WAIT);
				if (!answer.isDone() && Thread.currentThread().isInterrupted()) {
					answer.cancel(true);
					throw new RedisCommandInterruptedException(new InterruptedException());
				}
				if (!answer.isDone() && timeout > 0 && System.nanoTime() - start > timeout) {
					answer.cancel(true);
					throw new RedisCommandTimeoutException("No answer within " + this.connection.getTimeout());
				}
			}
			return result(answer);
		}

		void close() {
			close(this.loop, this.resources, this.factory);
		}

		private static void close(ManualIoEventLoop loop, ClientResources resources, LettuceConnectionFactory factory) {
			try {
				whileServing(loop, () -> {
					try {
						factory.destroy();
					}
					finally {
						resources.shutdown().awaitUninterruptibly(LONGEST_CLOSE.toNanos(), TimeUnit.NANOSECONDS);
					}
					return true;
				});
			}
			catch (RuntimeException ex) {
				// What matters is that the loop ends, and closes what is left
			}
			Future<?> ended = loop.shutdownGracefully(0, LONGEST_CLOSE.toNanos(), TimeUnit.NANOSECONDS);
			while (!ended.isDone()) {
				loop.run(LONGEST_WAIT);
			}
		}

		/**
		 * Has another thread wait for something that this thread must serve meanwhile.
		 */
		private static <T> T whileServing(ManualIoEventLoop loop, Callable<T> task) {
			FutureTask<T> future = new FutureTask<>(task);
			Thread waiting = new Thread(() -> {
				future.run();
				loop.wakeup();
			}, Thread.currentThread().getName() + "-connection");
			waiting.setDaemon(true);
			waiting.start();
			while (!future.isDone()) {
				loop.run(LONGEST_WAIT);
			}
			return result(future);
		}

		private static <T> T result(Future<T> future) {
			boolean interrupted = Thread.interrupted();
			try {
				return future.get();
			}
			catch (ExecutionException ex) {
				if (ex.getCause() instanceof RuntimeException cause) {
					throw cause;
				}
				throw new RedisException(ex.getCause());
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException("Interrupted while nothing was waited for", ex);
			}
			finally {
				if (interrupted) {
					Thread.currentThread().interrupt();
				}
			}
		}

	}

}
