package io.lowkiq.simulation;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import io.lowkiq.StoreException;
import io.lowkiq.engine.runtime.Waiter;
import io.lowkiq.redis.call.ChannelListener;
import io.lowkiq.redis.call.LuaScript;
import io.lowkiq.redis.call.RedisConnections;
import io.lowkiq.redis.call.RedisProblem;
import io.lowkiq.redis.call.Reply;
import io.lowkiq.store.WakeUps;
import org.jspecify.annotations.Nullable;

/** The connections of a simulated process. */
final class SimulatedConnections implements RedisConnections {

	private static final Duration TIMEOUT = Duration.ofSeconds(1);

	/** Calls that take something from others, or decide for others. */
	private static final Set<String> CONTRADICTING = Set.of("give a lease", "complete and fetch jobs",
			"take a lease back", "let a node join", "end a session", "record an assignment");

	private static final String FORGET = "forget a follow-up";

	/** Calls that may arrive again when another one contradicts them. */
	private static final Set<String> AGAIN = Set.of("let a node join", "end a session", "record an assignment", FORGET);

	private final SimulatedProcess process;

	private final Scheduler scheduler;

	private final Network network;

	private final SimulatedRedis redis;

	/** The scripts as they are sent, perhaps without a rule. */
	private final Map<LuaScript, LuaScript> sent = new HashMap<>();

	SimulatedConnections(SimulatedProcess process, Scheduler scheduler, Network network, SimulatedRedis redis) {
		this.process = process;
		this.scheduler = scheduler;
		this.network = network;
		this.redis = redis;
	}

	@Override
	public CompletableFuture<Reply> start(LuaScript script, byte[][] keys, byte[][] arguments) {
		return call(new Call(script, keys, arguments, false, (problem) -> RedisProblem.of(script.task(), problem)));
	}

	/** As enqueues are called that wait for a replica. */
	@Override
	public CompletableFuture<Reply> startOnce(LuaScript script, byte[][] keys, byte[][] arguments) {
		return call(new Call(script, keys, arguments, true, (problem) -> (problem instanceof IOException)
				? RedisProblem.unconfirmed(problem) : RedisProblem.of(script.task(), problem)));
	}

	private CompletableFuture<Reply> call(Call call) {
		if (this.process.isGone()) {
			this.scheduler.in(TIMEOUT.toNanos() / 10,
					() -> this.process.deliver(() -> call.fail(new IOException("The process was killed"))));
		}
		else {
			call.send(false);
		}
		return call.answer;
	}

	@Override
	public Supplier<Reply> pending(String task, CompletableFuture<Reply> reply) {
		return () -> {
			Waiter waiter = this.process.newWaiter();
			CompletableFuture<?> unused = reply.whenComplete((value, problem) -> waiter.signal());
			while (!reply.isDone()) {
				if (!waiter.await(Long.MAX_VALUE) && !reply.isDone()) {
					Thread.currentThread().interrupt();
					throw new StoreException("Interrupted while waiting for Redis to " + task, null);
				}
			}
			try {
				return reply.join();
			}
			catch (CompletionException ex) {
				throw RedisProblem.of(task, unwrapped(ex));
			}
		};
	}

	@Override
	public void pause(Duration pause) throws InterruptedException {
		this.process.sleep(pause.toNanos());
	}

	@Override
	public WakeUps.Subscription subscribe(String name, Set<String> channels, ChannelListener listener) {
		byte[][] names = new TreeSet<>(channels).stream()
			.map((channel) -> channel.getBytes(StandardCharsets.UTF_8))
			.toArray(byte[][]::new);
		SimulatedSubscription subscription = new SimulatedSubscription(this.process, this.scheduler, this.network,
				this.redis, names, listener);
		subscription.connect();
		return subscription;
	}

	@Override
	public String address() {
		return "simulated";
	}

	@Override
	public void close() {
	}

	private static Throwable unwrapped(Throwable problem) {
		return (problem instanceof CompletionException && problem.getCause() != null) ? problem.getCause() : problem;
	}

	/** One call of a script. */
	private final class Call {

		private final LuaScript script;

		private final byte[][] keys;

		private final byte[][] arguments;

		/** Whether it must not arrive twice, and waits for the replica. */
		private final boolean once;

		private final Function<Throwable, StoreException> problems;

		private final CompletableFuture<Reply> answer = new CompletableFuture<>();

		Call(LuaScript script, byte[][] keys, byte[][] arguments, boolean once,
				Function<Throwable, StoreException> problems) {
			this.script = script;
			this.keys = keys;
			this.arguments = arguments;
			this.once = once;
			this.problems = problems;
		}

		void send(boolean askedForText) {
			LuaScript sent = sent();
			Network.Connection connection = SimulatedConnections.this.network.connection();
			SimulatedConnections.this.scheduler.in(TIMEOUT.toNanos(),
					() -> SimulatedConnections.this.process.deliver(() -> timeOut(connection)));
			boolean twice = !this.once && SimulatedConnections.this.network.drawTwice();
			boolean secondAnswer = twice && SimulatedConnections.this.network.drawBoolean();
			int failovers = SimulatedConnections.this.redis.failovers();
			connection.send(shard(), sequence(), () -> {
				if (isFor(failovers)) {
					arrive("", connection, sent, askedForText, !secondAnswer);
					arriveAgain(connection, sent, failovers);
				}
			});
			if (twice) {
				SimulatedConnections.this.scheduler.in(SimulatedConnections.this.network.drawSecond(),
						() -> connection.send(shard(), Network.NO_NUMBER, () -> {
							if (isFor(failovers)) {
								arrive(" again", connection, sent, askedForText, secondAnswer);
							}
						}));
			}
		}

		/**
		 * Perhaps, when another call contradicts this one. Nobody waits for the answer.
		 */
		private void arriveAgain(Network.Connection connection, LuaScript sent, int failovers) {
			if (AGAIN.contains(this.script.task()) && SimulatedConnections.this.network.drawAgain()) {
				stragglers().keep(new Network.Sent(shard(), Network.NO_NUMBER, about(), () -> {
					if (isFor(failovers)) {
						arrive(" again", connection, sent, true, false);
					}
				}));
			}
		}

		/**
		 * Whether the call reaches the present master: what was sent to a former one does
		 * only if the client sends it again, because it has no answer.
		 */
		private boolean isFor(int failovers) {
			return failovers == SimulatedConnections.this.redis.failovers() || (!this.once && !this.answer.isDone());
		}

		private LuaScript sent() {
			return SimulatedConnections.this.sent.computeIfAbsent(this.script, (script) -> {
				String text = SimulatedConnections.this.redis.scripts()
					.apply(new String(script.text(), StandardCharsets.UTF_8));
				return LuaScript.of(script.task(), text);
			});
		}

		private void timeOut(Network.Connection connection) {
			if (!this.answer.isDone()) {
				SimulatedConnections.this.network.timedOut(connection);
				trace("no answer to", "");
				fail(new TimeoutException("No answer within " + TIMEOUT));
			}
		}

		void fail(Throwable problem) {
			this.answer.completeExceptionally(this.problems.apply(problem));
		}

		private String shard() {
			return new String(this.keys[0], StandardCharsets.UTF_8);
		}

		/** The number of the call among those of its shard's owner, if it has one. */
		private long sequence() {
			return this.script.task().equals("complete and fetch jobs")
					? LeaseCheck.OwnersCall.of(this.arguments).sequence() : Network.NO_NUMBER;
		}

		/** The origin that a call lets its target forget. */
		private String about() {
			return this.script.task().equals(FORGET) ? text(this.arguments[1]) : "";
		}

		/** Follow-ups to enqueue, with the shard from which they come. */
		private String followUps() {
			return (this.once && isOfNode()) ? text(this.arguments[3]) : "";
		}

		private static String text(byte[] bytes) {
			return new String(bytes, StandardCharsets.ISO_8859_1);
		}

		private boolean isOfNode() {
			return SimulatedConnections.this.process.name().startsWith("node");
		}

		private Stragglers stragglers() {
			return SimulatedConnections.this.redis.stragglers();
		}

		/** At Redis. */
		private void arrive(String how, Network.Connection connection, LuaScript sent, boolean withText,
				boolean answers) {
			if (CONTRADICTING.contains(this.script.task()) || (this.once && isOfNode())) {
				stragglers().meet(shard(), sequence(), followUps(), connection);
			}
			if (this.once && isOfNode()) {
				SimulatedConnections.this.redis.followUpArrives();
			}
			trace("calls", (this.answer.isDone() ? " late" : "") + how);
			var server = SimulatedConnections.this.redis.server();
			Consumer<List<?>> watch = SimulatedConnections.this.redis.watch(shard(), this.script.task(),
					this.arguments);
			CompletableFuture<?> unused = (withText ? server.eval(sent.text(), this.keys, this.arguments)
					: server.evalsha(sent.sha(), this.keys, this.arguments))
				.whenComplete((value, problem) -> {
					if (value instanceof List<?> reply) {
						watch.accept(reply);
					}
					Runnable back = () -> connection.sendBack(
							() -> SimulatedConnections.this.process.deliver(() -> answered(withText, value, problem)));
					if (!answers) {
						return;
					}
					if (this.once && isOfNode()) {
						SimulatedConnections.this.redis.followUpEnqueued(back);
					}
					else if (this.once && problem == null) {
						SimulatedConnections.this.redis.whenReplicated(back);
					}
					else {
						back.run();
					}
				});
			stragglers().follow(shard(), sequence());
		}

		private void answered(boolean withText, @Nullable Object value, @Nullable Throwable problem) {
			if (this.answer.isDone()) {
				return;
			}
			Throwable cause = (problem != null) ? unwrapped(problem) : null;
			if (cause != null && !withText && String.valueOf(cause.getMessage()).startsWith("NOSCRIPT")) {
				send(true);
				return;
			}
			trace("is answered", (cause != null) ? " " + cause.getMessage() : "");
			if (cause != null) {
				fail(cause);
			}
			else {
				this.answer.complete(reply(value));
			}
		}

		@SuppressWarnings("NullAway") // The constructor of a record loses its type
										// annotations in the class file
		private Reply reply(@Nullable Object value) {
			List<@Nullable Object> values = new ArrayList<>();
			if (value instanceof List<?> list) {
				values.addAll(list);
			}
			return new Reply(this.script.task(), values);
		}

		private void trace(String what, String how) {
			SimulatedConnections.this.process.trace("%s: %s%s %s".formatted(what, this.script.task(), how, shard()));
		}

	}

}
