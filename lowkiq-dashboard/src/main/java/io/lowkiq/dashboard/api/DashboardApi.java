package io.lowkiq.dashboard.api;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Objects;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;

import io.lowkiq.InvalidJobException;
import io.lowkiq.InvalidQueueException;
import io.lowkiq.StoreException;
import io.lowkiq.UnknownQueueException;
import io.lowkiq.admin.AdminEvent;
import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.dashboard.PayloadMasker;
import io.lowkiq.dashboard.PayloadVisibility;
import io.lowkiq.dashboard.actions.ActionBoard;
import io.lowkiq.dashboard.actions.PayloadEdits;
import io.lowkiq.dashboard.actions.QueueActions;
import io.lowkiq.dashboard.cluster.ClusterReader;
import io.lowkiq.dashboard.cluster.ErrorBursts;
import io.lowkiq.dashboard.cluster.FollowUpReader;
import io.lowkiq.dashboard.cluster.HistoryRecorder;
import io.lowkiq.dashboard.cluster.Intake;
import io.lowkiq.dashboard.cluster.Losses;
import io.lowkiq.dashboard.cluster.OutboxReader;
import io.lowkiq.dashboard.cluster.PoisonReader;
import io.lowkiq.dashboard.cluster.Problems;
import io.lowkiq.dashboard.cluster.RedisReader;
import io.lowkiq.dashboard.cluster.RedisTrouble;
import io.lowkiq.dashboard.history.AuditLog;
import io.lowkiq.dashboard.history.DashboardKeys;
import io.lowkiq.dashboard.history.HistoryLog;
import io.lowkiq.dashboard.jobs.ErrorGroups;
import io.lowkiq.dashboard.jobs.JobSearch;
import io.lowkiq.dashboard.jobs.PayloadText;
import io.lowkiq.internal.BackgroundLoop;
import io.lowkiq.redis.RedisStore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.util.function.SingletonSupplier;

/**
 * The JSON API with all that it needs, and the recorder of the history. Thread-safe.
 * Answering blocks on the store.
 */
public final class DashboardApi implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(DashboardApi.class);

	private static final int RUNS_AT_A_TIME = 4;

	private static final int RUNS_WAITING = 100;

	private static final int READS_AT_A_TIME = 16;

	private static final int READS_WAITING = 500;

	/** How long a request reads at most. */
	private static final Duration PATIENCE = Duration.ofSeconds(3);

	/** How long Redis is waited for that doesn't answer a request in time. */
	private static final Duration PONG = Duration.ofMillis(500);

	/** How often a node looks whether it is time for the next minute. */
	private static final Duration HISTORY = Duration.ofSeconds(10);

	/** How much longer a request may take on a slow server. */
	private static final Duration LONGEST = Duration.ofSeconds(30);

	private final ThreadPoolExecutor runs = new ThreadPoolExecutor(RUNS_AT_A_TIME, RUNS_AT_A_TIME, 30, TimeUnit.SECONDS,
			new ArrayBlockingQueue<>(RUNS_WAITING), DashboardApi::thread);

	/** Requests that read from Redis, so that they can be given up. */
	private final ThreadPoolExecutor readers = new ThreadPoolExecutor(READS_AT_A_TIME, READS_AT_A_TIME, 30,
			TimeUnit.SECONDS, new ArrayBlockingQueue<>(READS_WAITING), DashboardApi::thread);

	private final DashboardKeys keys;

	/** Made for the first request: perhaps nobody ever looks. */
	private final Supplier<Apis> apis;

	private final AuditLog audit;

	private final BackgroundLoop history;

	private DashboardApi(Builder builder) {
		this.runs.allowCoreThreadTimeOut(true);
		this.readers.allowCoreThreadTimeOut(true);
		InstantSource clock = builder.clock;
		RedisStore store = builder.store;
		ClusterReader reader = new ClusterReader(store, clock);
		this.keys = new DashboardKeys(store);
		this.audit = new AuditLog(this.keys);
		HistoryLog log = new HistoryLog(this.keys);
		this.history = new BackgroundLoop("dashboard-history", "The history of the dashboard has a gap", HISTORY,
				new HistoryRecorder(log, reader)::record, clock);
		this.apis = SingletonSupplier.of(() -> apis(builder, reader, log));
	}

	private Apis apis(Builder builder, ClusterReader reader, HistoryLog log) {
		InstantSource clock = builder.clock;
		RedisStore store = builder.store;
		LowkiqAdmin admin = builder.admin;
		RedisConnectionFactory connections = store.connectionFactory();
		ErrorGroups errors = new ErrorGroups(store.inspection(), reader, clock, this.readers, ErrorGroups.MAX_READ);
		Intake intake = new Intake(admin, clock);
		Losses losses = new Losses(admin, clock);
		PoisonReader poison = new PoisonReader(store, reader, clock);
		FollowUpReader followUps = new FollowUpReader(admin, clock);
		QueueActions actions = new QueueActions(admin, new ActionBoard(this.keys), this.runs, clock, () -> {
			reader.forget();
			errors.forget();
			poison.forget();
		});
		RedisReader redisReader = (connections != null) ? new RedisReader(connections, store.address(), clock) : null;
		Problems problems = new Problems(new ErrorBursts(log, reader, clock), this.audit, redisReader,
				new OutboxReader(admin, this.readers, clock), followUps, intake, losses, poison, errors::deaths);
		ClusterApi cluster = new ClusterApi(reader, problems, errors, this.audit, log, redisReader);
		JsonMapper mapper = JsonMapper.builder().build();
		ScheduleApi schedules = new ScheduleApi(admin, intake::forget);
		GroupApi groups = new GroupApi(store.inspection(), admin, reader);
		Function<PayloadVisibility, Api> apis = (payloads) -> {
			PayloadText.Renderer renderer = new PayloadText.Renderer(payloads, builder.masker);
			return new Api(store.queues(), cluster,
					new JobApi(store, admin, new JobSearch(store, reader, renderer, clock), reader, renderer, clock,
							groups),
					new SelectionApi(store, reader, renderer, clock, mapper),
					new ActionApi(actions, new PayloadEdits(store, admin, renderer), schedules, groups, mapper),
					new OutboxApi(admin), new FollowUpApi(admin, followUps), schedules, groups, payloads,
					builder.actionsEnabled);
		};
		if (builder.payloads != PayloadVisibility.SIGNED_IN) {
			Api same = apis.apply(builder.payloads);
			return new Apis(same, same);
		}
		return new Apis(apis.apply(PayloadVisibility.SHOWN), apis.apply(PayloadVisibility.HIDDEN));
	}

	/** Begins an API; the store also keeps what all dashboards share. */
	public static Builder builder(RedisStore store, LowkiqAdmin admin) {
		return new Builder(store, admin);
	}

	/**
	 * Answers a request. A request that changes something must come from the dashboard's
	 * own page: the caller checks that.
	 * @return a document for JSON, or {@link io.lowkiq.dashboard.jobs.JobLines}; null if
	 * there is nothing to say
	 * @throws ApiException if it can't be answered
	 */
	public @Nullable Object answer(ApiRequest request) {
		try {
			Apis made = this.apis.get();
			Api asked = (request.user() != null) ? made.signedIn() : made.anonymous();
			return Api.isReading(request) ? inTime(() -> asked.answer(request)) : asked.answer(request);
		}
		catch (InvalidJobException | InvalidQueueException ex) {
			throw ApiException.badRequest(String.valueOf(ex.getMessage()));
		}
		catch (UnknownQueueException ex) {
			throw ApiException.notFound(String.valueOf(ex.getMessage()));
		}
		catch (RejectedExecutionException ex) {
			throw ApiException.unavailable("Too many requests or actions are waiting; try again later.");
		}
		catch (StoreException | DataAccessException ex) {
			logger.debug("The store did not reply", ex);
			throw ApiException.unavailable(RedisTrouble.sentence(ex));
		}
	}

	/**
	 * Reads for a limited time, shorter than the usual timeout of a command, so that the
	 * page can say that it is Redis that doesn't respond. A change has no limit: nobody
	 * would know whether it was carried out.
	 */
	private @Nullable Object inTime(Supplier<@Nullable Object> reading) {
		CompletableFuture<@Nullable Object> answer = CompletableFuture.supplyAsync(reading, this.readers);
		try {
			try {
				return answer.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
			}
			catch (TimeoutException ex) {
				if (!responds()) {
					throw ApiException
						.unavailable("Redis hasn't responded for %s seconds.".formatted(PATIENCE.toSeconds()));
				}
				return answer.get(LONGEST.toMillis(), TimeUnit.MILLISECONDS);
			}
		}
		catch (TimeoutException ex) {
			throw ApiException.unavailable("The server is too slow: it has given up.");
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw ApiException.unavailable("The server is shutting down.");
		}
		catch (ExecutionException ex) {
			if (ex.getCause() instanceof Error error) {
				throw error;
			}
			throw (RuntimeException) Objects.requireNonNull(ex.getCause());
		}
	}

	/** Whether it is Redis that is slow, or this server. */
	private boolean responds() throws InterruptedException, ExecutionException {
		try {
			CompletableFuture
				.runAsync(() -> this.keys.command("EXISTS", this.keys.key("history", "claim")), this.readers)
				.get(PONG.toMillis(), TimeUnit.MILLISECONDS);
			return true;
		}
		catch (TimeoutException ex) {
			return false;
		}
	}

	/**
	 * Remembers what somebody did, for the audit log of all nodes. What goes wrong is
	 * logged: the action has been carried out.
	 */
	public void record(AdminEvent event) {
		try {
			this.audit.add(event);
		}
		catch (StoreException ex) {
			logger.warn("Could not write the audit log", ex);
		}
	}

	/** The loop that writes the history, to be started and stopped. */
	public BackgroundLoop history() {
		return this.history;
	}

	/** Stops everything; a long action ends after its step. */
	@Override
	public void close() {
		this.history.close();
		this.runs.shutdownNow();
		this.readers.shutdownNow();
	}

	private static Thread thread(Runnable task) {
		Thread thread = new Thread(task, "lowkiq-dashboard");
		thread.setDaemon(true);
		return thread;
	}

	/** One for callers who are signed in, and one for all others. */
	private record Apis(Api signedIn, Api anonymous) {
	}

	/** Builds an API. */
	public static final class Builder {

		private final RedisStore store;

		private final LowkiqAdmin admin;

		private InstantSource clock = InstantSource.system();

		private PayloadVisibility payloads = PayloadVisibility.SIGNED_IN;

		private PayloadMasker masker = PayloadMasker.values();

		private boolean actionsEnabled;

		private Builder(RedisStore store, LowkiqAdmin admin) {
			this.store = store;
			this.admin = admin;
		}

		/** Sets the clock that tells how old a reading is. */
		public Builder clock(InstantSource clock) {
			this.clock = clock;
			return this;
		}

		/** Sets how much of the payloads is shown. */
		public Builder payloads(PayloadVisibility payloads, PayloadMasker masker) {
			this.payloads = payloads;
			this.masker = masker;
			return this;
		}

		/** Sets whether jobs and queues can be changed. */
		public Builder actionsEnabled(boolean actionsEnabled) {
			this.actionsEnabled = actionsEnabled;
			return this;
		}

		/** Builds the API. */
		public DashboardApi build() {
			return new DashboardApi(this);
		}

	}

}
