package io.lowkiq.dashboard;

import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import io.lowkiq.InvalidJobException;
import io.lowkiq.InvalidQueueException;
import io.lowkiq.admin.AdminEvent;
import io.lowkiq.admin.LowkiqAdmin;
import io.lowkiq.store.StoreException;
import io.lowkiq.store.inspection.InspectableStore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.http.HttpHeaders;

/**
 * The dashboard: answers requests, whatever the web framework they came by, and writes
 * the history while it is started. Thread-safe. Answering blocks on the store.
 */
public final class Dashboard implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(Dashboard.class);

	/** Besides the overview and the pages of queues and jobs. */
	private static final Set<String> PAGES = Set.of("running", "errors", "search", "audit");

	private static final int RUNS_AT_A_TIME = 4;

	private static final int RUNS_WAITING = 100;

	private final ThreadPoolExecutor runs = new ThreadPoolExecutor(RUNS_AT_A_TIME, RUNS_AT_A_TIME, 30, TimeUnit.SECONDS,
			new ArrayBlockingQueue<>(RUNS_WAITING), Dashboard::thread);

	private final JsonMapper mapper = JsonMapper.builder().build();

	private final Page page = new Page();

	private final Api api;

	/** For callers who are not signed in. */
	private final Api anonymousApi;

	private final AuditLog audit;

	private final AllowedHosts allowedHosts;

	private final ThroughputRecorder recorder;

	/** Guarded by this. */
	private @Nullable ScheduledExecutorService timer;

	private Dashboard(Builder builder) {
		this.runs.allowCoreThreadTimeOut(true);
		InstantSource clock = builder.clock;
		InspectableStore store = builder.store;
		ClusterReader reader = new ClusterReader(store, clock);
		RedisConnectionFactory connections = builder.connections;
		StringRedisTemplate redis = (connections != null) ? new StringRedisTemplate(connections) : null;
		ThroughputLog log = (redis != null) ? new RedisThroughputLog(redis, builder.keyPrefix)
				: new MemoryThroughputLog(clock);
		this.recorder = new ThroughputRecorder(log, reader);
		ActionBoard board = (redis != null) ? new RedisActionBoard(redis, builder.keyPrefix) : new MemoryActionBoard();
		LowkiqAdmin admin = builder.admin;
		ErrorGroups errors = new ErrorGroups(store.inspection(), reader, clock, ErrorGroups.MAX_READ);
		QueueActions actions = new QueueActions(admin, board, this.runs, clock, () -> {
			reader.forget();
			errors.forget();
		});
		AuditLog auditLog = (redis != null) ? new RedisAuditLog(redis, builder.keyPrefix) : new MemoryAuditLog(clock);
		this.audit = auditLog;
		RedisReader redisReader = (connections != null) ? new RedisReader(connections, builder.redisUrl, clock) : null;
		Problems problems = new Problems(new ErrorBursts(log, reader, clock), auditLog, redisReader);
		ClusterApi cluster = new ClusterApi(reader, problems, errors, auditLog, log, redisReader);
		Function<PayloadVisibility, Api> apis = (payloads) -> {
			PayloadText.Renderer renderer = new PayloadText.Renderer(payloads, builder.masker);
			return new Api(store.queues(), cluster, new JobApi(store, admin, reader, renderer, clock),
					new JobSearch(store, reader, renderer, clock),
					new SelectionApi(store, reader, renderer, clock, this.mapper),
					new ActionApi(actions, new PayloadEdits(store, admin, renderer), this.mapper), payloads,
					builder.actionsEnabled);
		};
		boolean bySignIn = builder.payloads == PayloadVisibility.SIGNED_IN;
		this.api = apis.apply(bySignIn ? PayloadVisibility.SHOWN : builder.payloads);
		this.anonymousApi = bySignIn ? apis.apply(PayloadVisibility.HIDDEN) : this.api;
		this.allowedHosts = new AllowedHosts(builder.allowedHosts);
	}

	/**
	 * Begins a dashboard.
	 * @param store where the jobs are
	 * @param admin changes them
	 * @return the builder
	 */
	public static Builder builder(InspectableStore store, LowkiqAdmin admin) {
		return new Builder(store, admin);
	}

	/**
	 * Answers a request.
	 * @param request the request
	 * @return the answer
	 */
	public DashboardResponse respond(DashboardRequest request) {
		return Gzip.compress(answer(request), request.headers());
	}

	private DashboardResponse answer(DashboardRequest request) {
		if (request.user() == null && !this.allowedHosts.allow(request.headers().getFirst(HttpHeaders.HOST))) {
			return problem(403, "Callers who are not signed in can use this host name only if "
					+ "lowkiq.dashboard.allowed-hosts contains it");
		}
		List<String> path = request.path();
		if (path.size() >= 2 && path.get(0).equals("api") && path.get(1).equals("v1")) {
			return json(request, path.subList(2, path.size()));
		}
		if (!request.method().equals("GET") && !request.method().equals("HEAD")) {
			return problem(405, "Pages are read-only");
		}
		if (path.size() >= 2 && path.get(0).equals("assets")) {
			return asset(request, path.subList(1, path.size()));
		}
		HttpHeaders headers = headers("text/html;charset=UTF-8", "no-cache");
		return new DashboardResponse(isPage(path) ? 200 : 404, headers, this.page.shell(root(request)));
	}

	private static boolean isPage(List<String> path) {
		return switch (path.size()) {
			case 0 -> true;
			case 1 -> PAGES.contains(path.get(0));
			case 2 -> path.get(0).equals("queues");
			case 3, 4 -> path.get(0).equals("queues") && path.get(2).equals("jobs");
			default -> false;
		};
	}

	/**
	 * The way from a page to the base path, such as {@code ../../}.
	 */
	private static String root(DashboardRequest request) {
		if (request.atRoot()) {
			String own = request.uri().getRawPath();
			return own.substring(own.lastIndexOf('/') + 1) + "/";
		}
		int depth = request.path().size() - (request.slash() ? 0 : 1);
		return (depth > 0) ? "../".repeat(depth) : "./";
	}

	/**
	 * Answers with a file. Its address holds the version of the page, so that a browser
	 * can keep it; one of another version, as while nodes are replaced, gets the present
	 * file and doesn't keep it.
	 */
	private DashboardResponse asset(DashboardRequest request, List<String> path) {
		boolean versioned = path.size() > 1 && path.get(0).startsWith(Page.VERSION_MARK);
		Page.Asset asset = this.page.asset(String.join("/", versioned ? path.subList(1, path.size()) : path))
			.orElse(null);
		if (asset == null) {
			return problem(404, "This file doesn't exist");
		}
		boolean keep = versioned && path.get(0).equals(this.page.version());
		HttpHeaders headers = headers(asset.type(), keep ? "private, max-age=31536000, immutable" : "no-cache");
		headers.set(HttpHeaders.ETAG, asset.tag());
		// As text: parsing fails for a header that makes no sense
		if (request.headers()
			.getOrEmpty(HttpHeaders.IF_NONE_MATCH)
			.stream()
			.anyMatch((tags) -> tags.contains(asset.tag()))) {
			return new DashboardResponse(304, headers, new byte[0]);
		}
		return new DashboardResponse(200, headers, asset.content());
	}

	private DashboardResponse json(DashboardRequest request, List<String> path) {
		try {
			Api api = (request.user() != null) ? this.api : this.anonymousApi;
			Object document = api.answer(request, path);
			if (document instanceof JobLines lines) {
				return lines(lines);
			}
			return (document != null) ? json(200, document)
					: new DashboardResponse(204, headers(null, "no-store"), new byte[0]);
		}
		catch (ApiException ex) {
			return problem(ex.status(), String.valueOf(ex.getMessage()));
		}
		catch (InvalidJobException | InvalidQueueException ex) {
			return problem(400, String.valueOf(ex.getMessage()));
		}
		catch (RejectedExecutionException ex) {
			return problem(503, "Too many actions are waiting; try again later");
		}
		catch (StoreException | DataAccessException ex) {
			logger.debug("The store did not answer", ex);
			return problem(503, "Redis can't be reached");
		}
	}

	private static DashboardResponse lines(JobLines lines) {
		HttpHeaders headers = headers(JobLines.TYPE, "no-store");
		if (lines.next() != null) {
			headers.set(JobLines.NEXT, lines.next());
		}
		return new DashboardResponse(200, headers, lines.body());
	}

	private DashboardResponse problem(int status, String sentence) {
		return json(status, new Views.Problem(sentence));
	}

	private DashboardResponse json(int status, Object document) {
		byte[] body = this.mapper.writeValueAsString(document).getBytes(StandardCharsets.UTF_8);
		return new DashboardResponse(status, headers("application/json", "no-store"), body);
	}

	private static HttpHeaders headers(@Nullable String type, String cacheControl) {
		HttpHeaders headers = new HttpHeaders();
		if (type != null) {
			headers.set(HttpHeaders.CONTENT_TYPE, type);
		}
		headers.set(HttpHeaders.CACHE_CONTROL, cacheControl);
		headers.set("Content-Security-Policy",
				"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
						+ "base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
		headers.set("X-Content-Type-Options", "nosniff");
		headers.set("X-Frame-Options", "DENY");
		headers.set("Referrer-Policy", "no-referrer");
		headers.set("Cross-Origin-Resource-Policy", "same-origin");
		headers.set("Cross-Origin-Opener-Policy", "same-origin");
		return headers;
	}

	/**
	 * Remembers what somebody did, for the audit log of all nodes. What goes wrong is
	 * logged: the call has been made.
	 * @param event what was done just now
	 */
	public void record(AdminEvent event) {
		try {
			this.audit.add(event);
		}
		catch (DataAccessException ex) {
			logger.warn("Could not write the audit log", ex);
		}
	}

	/**
	 * Starts writing the history. Does nothing if it is started.
	 */
	@SuppressWarnings("FutureReturnValueIgnored") // What goes wrong is logged by the
													// recorder
	public synchronized void start() {
		if (this.timer == null) {
			this.timer = Executors.newSingleThreadScheduledExecutor(Dashboard::thread);
			// More often than a step, so that none is missed
			this.timer.scheduleWithFixedDelay(this.recorder::record, 0, ThroughputLog.STEP.toMillis() / 2,
					TimeUnit.MILLISECONDS);
		}
	}

	/**
	 * Stops writing the history.
	 */
	public synchronized void stop() {
		if (this.timer != null) {
			this.timer.shutdownNow();
			this.timer = null;
		}
	}

	/**
	 * Whether the history is being written.
	 * @return whether it is
	 */
	public synchronized boolean isRunning() {
		return this.timer != null;
	}

	/**
	 * Stops everything; a long action ends after its step.
	 */
	@Override
	public void close() {
		stop();
		this.runs.shutdownNow();
	}

	private static Thread thread(Runnable task) {
		Thread thread = new Thread(task, "lowkiq-dashboard");
		thread.setDaemon(true);
		return thread;
	}

	/**
	 * Builds a dashboard.
	 */
	public static final class Builder {

		private final InspectableStore store;

		private final LowkiqAdmin admin;

		private InstantSource clock = InstantSource.system();

		private @Nullable RedisConnectionFactory connections;

		private String keyPrefix = "lowkiq";

		private String redisUrl = "";

		private PayloadVisibility payloads = PayloadVisibility.SIGNED_IN;

		private PayloadMasker masker = PayloadMasker.values();

		private boolean actionsEnabled;

		private Collection<String> allowedHosts = List.of();

		private Builder(InspectableStore store, LowkiqAdmin admin) {
			this.store = store;
			this.admin = admin;
		}

		/**
		 * Sets the clock that tells how old a reading is.
		 * @param clock by default the system's
		 * @return this builder
		 */
		public Builder clock(InstantSource clock) {
			this.clock = clock;
			return this;
		}

		/**
		 * Sets the Redis that keeps the history and the progress of actions for all
		 * nodes, and that is described on the overview. Without it each node keeps its
		 * own.
		 * @param connections the connections
		 * @param keyPrefix what the keys begin with
		 * @param url where it is, without user and password
		 * @return this builder
		 */
		public Builder redis(RedisConnectionFactory connections, String keyPrefix, String url) {
			this.connections = connections;
			this.keyPrefix = keyPrefix;
			this.redisUrl = url;
			return this;
		}

		/**
		 * Sets how much of the payloads is shown.
		 * @param payloads by default {@link PayloadVisibility#SIGNED_IN}
		 * @param masker used for {@link PayloadVisibility#MASKED}
		 * @return this builder
		 */
		public Builder payloads(PayloadVisibility payloads, PayloadMasker masker) {
			this.payloads = payloads;
			this.masker = masker;
			return this;
		}

		/**
		 * Sets whether jobs and queues can be changed.
		 * @param actionsEnabled false by default
		 * @return this builder
		 */
		public Builder actionsEnabled(boolean actionsEnabled) {
			this.actionsEnabled = actionsEnabled;
			return this;
		}

		/**
		 * Sets by which host names callers who are not signed in may reach the dashboard,
		 * besides {@code localhost} and IP addresses. Others are refused, so that a page
		 * of another site can't have its own name lead here.
		 * @param names the names without ports; {@code *} for all
		 * @return this builder
		 */
		public Builder allowedHosts(Collection<String> names) {
			this.allowedHosts = List.copyOf(names);
			return this;
		}

		/**
		 * Builds the dashboard.
		 * @return the dashboard, not started; to be closed
		 */
		public Dashboard build() {
			return new Dashboard(this);
		}

	}

}
