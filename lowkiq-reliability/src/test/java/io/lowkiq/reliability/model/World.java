package io.lowkiq.reliability.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * One state of the model: the registry, the shard, the nodes, and the calls under way;
 * and what can happen next. Sets of payloads are bits. Time is counted in ticks, always
 * from now on: a session lasts {@link #LEASE} ticks from a heartbeat.
 * <p>
 * A node may do nothing while anything else happens, so pauses of any length are in the
 * model everywhere. For the same reason an answer is heard at once or never: to hear it
 * later is to stand still after hearing it. Only heartbeats may be slow, because a lease
 * is counted from their sending.
 */
final class World {

	static final int LEASE = 2;

	private static final int NONE = -1;

	/** Added to a sequence number gives one that no call has. */
	private static final int UNLIKE_ANY_CALL = 20;

	private final Bounds bounds;

	private final Rules rules;

	/** Of each session: the ticks until its end; 0 when it has ended. */
	private int[] sessions = {};

	private int owner = NONE;

	private int epoch;

	private int sequence;

	private int queued;

	private int busy;

	/** Whether the owner waits for a job and takes one that is handed over. */
	private boolean waiting;

	/** The sequence number before a hand-over since the owner's last call, or NONE. */
	private int handedAfter = NONE;

	private final Node[] nodes;

	private List<Request> requests = new ArrayList<>();

	private List<HandOver> handOvers = new ArrayList<>();

	private int crashes;

	private int timeouts;

	private int repeats;

	/** What happened so far, as far as the invariants need it. */
	private int pushed;

	private int succeeded;

	private boolean changedByFenced;

	World(Bounds bounds, Rules rules) {
		this.bounds = bounds;
		this.rules = rules;
		this.nodes = new Node[bounds.nodes()];
		Arrays.fill(this.nodes, Node.STARTED);
	}

	private World(World other) {
		this.bounds = other.bounds;
		this.rules = other.rules;
		this.sessions = other.sessions.clone();
		this.owner = other.owner;
		this.epoch = other.epoch;
		this.sequence = other.sequence;
		this.queued = other.queued;
		this.busy = other.busy;
		this.waiting = other.waiting;
		this.handedAfter = other.handedAfter;
		this.handOvers = new ArrayList<>(other.handOvers);
		this.nodes = other.nodes.clone();
		this.requests = new ArrayList<>(other.requests);
		this.crashes = other.crashes;
		this.timeouts = other.timeouts;
		this.repeats = other.repeats;
		this.pushed = other.pushed;
		this.succeeded = other.succeeded;
		this.changedByFenced = other.changedByFenced;
	}

	/** What a node is at. */
	private enum Phase {

		DOWN,

		/** It waits for no answer. */
		FREE,

		/** It waits for an answer. */
		CALLING,

		/** It gave up waiting, and has to take its lease anew. */
		UNCERTAIN,

		PERFORMING

	}

	/**
	 * A node.
	 *
	 * @param phase what it is at
	 * @param session its session, or NONE
	 * @param valid the ticks that its session surely lasts, counted from before the last
	 * answered heartbeat was sent
	 * @param beat the age in ticks of its heartbeat that is under way, or NONE
	 * @param held whether the registry got that heartbeat and the answer is under way
	 * @param epoch the epoch of its lease, 0 without one
	 * @param sequence the number of its last call
	 * @param jobs the payloads that it fetched
	 * @param done whether it has performed them and has to tell so
	 */
	private record Node(Phase phase, int session, int valid, int beat, boolean held, int epoch, int sequence, int jobs,
			boolean done) {

		static final Node STARTED = new Node(Phase.FREE, NONE, 0, NONE, false, 0, 0, 0, false);

		static final Node DEAD = new Node(Phase.DOWN, NONE, 0, NONE, false, 0, 0, 0, false);

		boolean performing() {
			return this.phase == Phase.PERFORMING;
		}

		/** Hears that its session has ended; a running perform goes on. */
		Node lapsed() {
			return performing() ? new Node(Phase.PERFORMING, NONE, 0, NONE, false, 0, 0, this.jobs, false) : STARTED;
		}

		Node time(int newSession, int ticks, int age, boolean nowHeld) {
			return new Node(this.phase, newSession, ticks, age, nowHeld, this.epoch, this.sequence, this.jobs,
					this.done);
		}

		Node phase(Phase newPhase, int number) {
			return new Node(newPhase, this.session, this.valid, this.beat, this.held, this.epoch, number, this.jobs,
					this.done);
		}

		Node jobs(Phase newPhase, int newJobs, boolean nowDone) {
			return new Node(newPhase, this.session, this.valid, this.beat, this.held, this.epoch, this.sequence,
					newJobs, nowDone);
		}

		Node takes(int newJobs, int number) {
			return new Node(Phase.FREE, this.session, this.valid, this.beat, this.held, this.epoch, number, newJobs,
					false);
		}

		Node lease(int newEpoch, boolean stillDone) {
			return new Node(Phase.FREE, this.session, this.valid, this.beat, this.held, newEpoch, 0, 0, stillDone);
		}

		Node renamed(int newSession, int newEpoch) {
			return new Node(this.phase, newSession, this.valid, this.beat, this.held, newEpoch, this.sequence,
					this.jobs, this.done);
		}

	}

	/** What a call is. */
	private enum Kind {

		TURN, RELEASE, ACQUIRE

	}

	/**
	 * A call under way to the store.
	 *
	 * @param kind what it is
	 * @param node the node that sent it
	 * @param session the sender's session
	 * @param epoch the epoch it names; of an acquire: that of the uncertain call
	 * @param number its sequence number; of an acquire: that of the uncertain call, or 0
	 * @param done of a turn or release: whether it tells that the busy job is done
	 * @param from of an acquire: the ended session to take over from, or NONE
	 * @param awaited whether the node still waits for the answer
	 */
	private record Request(Kind kind, int node, int session, int epoch, int number, boolean done, int from,
			boolean awaited) {

		Request abandoned() {
			return new Request(this.kind, this.node, this.session, this.epoch, this.number, this.done, this.from,
					false);
		}

	}

	/**
	 * A message under way to a node: a job was handed over to it.
	 *
	 * @param node the node
	 * @param epoch the epoch of its lease
	 * @param after the number of its last call before
	 * @param number the number of this step
	 * @param jobs the payloads
	 */
	private record HandOver(int node, int epoch, int after, int number, int jobs) {
	}

	/** What must hold in every state. */
	enum Invariant {

		/** I1: no two nodes perform the id, each under a session that surely lasts. */
		EXCLUSION,

		/** I3: a payload is in the shard until it was performed. */
		NOTHING_LOST,

		/** I6: a call under an old epoch changes nothing. */
		FENCING

	}

	/**
	 * Something that can happen.
	 *
	 * @param what what happens
	 * @param fault whether the work has to come to its end without it: a fault, the end
	 * of the session of a node that runs, the release of a shard
	 * @param next the state after it
	 */
	record Step(String what, boolean fault, World next) {
	}

	boolean breaks(Invariant invariant) {
		return switch (invariant) {
			case EXCLUSION ->
				Arrays.stream(this.nodes).filter((node) -> node.performing() && node.valid() > 0).count() > 1;
			case NOTHING_LOST -> (this.pushed & ~(this.queued | this.busy | this.succeeded)) != 0;
			case FENCING -> this.changedByFenced;
		};
	}

	boolean isFinished() {
		return this.pushed == (1 << this.bounds.payloads()) - 1 && this.queued == 0 && this.busy == 0;
	}

	List<Step> steps() {
		List<Step> steps = new ArrayList<>();
		if (this.pushed != (1 << this.bounds.payloads()) - 1) {
			step(steps, "push", false, (w) -> {
				w.queued |= this.pushed + 1;
				w.pushed |= this.pushed + 1;
			});
			if (this.waiting && this.queued == 0 && this.busy == 0) {
				step(steps, "push, handed over", false, World::handOver);
			}
		}
		boolean ends = Arrays.stream(this.nodes)
			.anyMatch((node) -> node.session() != NONE && this.sessions[node.session()] == 1);
		if (this.bounds.timePasses()) {
			step(steps, "tick", ends, World::tick);
		}
		for (int n = 0; n < this.nodes.length; n++) {
			nodeSteps(steps, n, this.nodes[n], "node " + n + " ");
		}
		this.requests.forEach((request) -> requestSteps(steps, request));
		this.handOvers.forEach((message) -> messageSteps(steps, message));
		return steps;
	}

	/** The store takes the next step for the owner, who waits. */
	private void handOver() {
		int job = this.pushed + 1;
		this.pushed |= job;
		this.busy = job;
		this.waiting = false;
		int after = this.sequence;
		if (this.rules.handOverIsAStep()) {
			this.sequence += UNLIKE_ANY_CALL;
			this.handedAfter = after;
		}
		for (int n = 0; n < this.nodes.length; n++) {
			if (this.nodes[n].session() == this.owner && this.nodes[n].epoch() == this.epoch) {
				this.handOvers.add(new HandOver(n, this.epoch, after, this.sequence, job));
			}
		}
	}

	private void messageSteps(List<Step> steps, HandOver message) {
		Node node = this.nodes[message.node()];
		String name = "hand-over to node " + message.node();
		step(steps, name + " is lost or dropped", false, (w) -> w.handOvers.remove(message));
		if (node.phase() == Phase.FREE && node.sequence() == message.after() && node.jobs() == 0 && !node.done()) {
			step(steps, name + " is taken", false, (w) -> {
				w.handOvers.remove(message);
				w.nodes[message.node()] = node.takes(message.jobs(), message.number());
			});
		}
	}

	private void tick() {
		Arrays.setAll(this.sessions, (s) -> Math.max(0, this.sessions[s] - 1));
		for (int n = 0; n < this.nodes.length; n++) {
			Node node = this.nodes[n];
			int beat = (node.beat() == NONE || node.beat() + 1 == LEASE) ? NONE : node.beat() + 1;
			this.nodes[n] = node.time(node.session(), Math.max(0, node.valid() - 1), beat, node.held() && beat != NONE);
		}
	}

	private void nodeSteps(List<Step> steps, int n, Node node, String name) {
		if (node.phase() == Phase.DOWN) {
			step(steps, name + "starts", false, (w) -> w.nodes[n] = Node.STARTED);
			return;
		}
		if (this.crashes < this.bounds.crashes()) {
			step(steps, name + "crashes", true, (w) -> {
				w.crashes++;
				w.giveUp(n, Node.DEAD);
			});
		}
		if (node.performing()) {
			step(steps, name + "ends its perform", false, (w) -> {
				w.succeeded |= node.jobs();
				w.nodes[n] = node.jobs(Phase.FREE, 0, node.epoch() != 0);
			});
		}
		if (node.session() != NONE) {
			beatSteps(steps, n, node, name);
			callSteps(steps, n, node, name);
		}
		else if (node.phase() == Phase.FREE) {
			step(steps, name + "joins", false, (w) -> {
				w.sessions = Arrays.copyOf(w.sessions, w.sessions.length + 1);
				w.sessions[w.sessions.length - 1] = LEASE;
				w.nodes[n] = node.time(w.sessions.length - 1, LEASE, NONE, false);
			});
		}
	}

	private void beatSteps(List<Step> steps, int n, Node node, String name) {
		int session = node.session();
		boolean slow = this.bounds.slowHeartbeats();
		if (slow) {
			String what = (node.beat() == NONE) ? "sends a heartbeat" : "loses its heartbeat and sends another";
			step(steps, name + what, false, (w) -> w.nodes[n] = node.time(session, node.valid(), 0, false));
		}
		if (slow && node.beat() == NONE) {
			return;
		}
		boolean prolonged = this.sessions[session] > 0 || !this.rules.endIsFinal();
		if (node.held() || prolonged) {
			int age = this.rules.countedFromSending() ? Math.max(0, node.beat()) : 0;
			step(steps, name + "hears that its session is held", false, (w) -> {
				w.sessions[session] = node.held() ? w.sessions[session] : LEASE;
				w.nodes[n] = node.time(session, Math.max(node.valid(), LEASE - age), NONE, false);
			});
		}
		else if (node.phase() != Phase.CALLING) {
			step(steps, name + "hears that its session has ended", false, (w) -> w.giveUp(n, node.lapsed()));
		}
		if (slow && prolonged && !node.held()) {
			step(steps, name + "prolongs its session and does not hear it yet", false, (w) -> {
				w.sessions[session] = LEASE;
				w.nodes[n] = node.time(session, node.valid(), node.beat(), true);
			});
		}
	}

	private void callSteps(List<Step> steps, int n, Node node, String name) {
		if (node.phase() == Phase.UNCERTAIN) {
			acquire(steps, n, NONE, 0, name + "takes its lease anew");
			if (node.sequence() > 0) {
				acquire(steps, n, NONE, node.sequence(), name + "takes its lease anew, naming its call");
			}
		}
		else if (node.phase() == Phase.FREE && node.epoch() == 0 && node.valid() > 0) {
			if (this.owner == NONE || this.owner == node.session()) {
				acquire(steps, n, NONE, 0, name + "asks for the free shard");
			}
			else if (this.sessions[this.owner] == 0) {
				acquire(steps, n, this.owner, 0, name + "asks for the shard of the ended session " + this.owner);
			}
		}
		else if (node.phase() == Phase.FREE && node.epoch() != 0) {
			if (node.jobs() != 0 && node.valid() > 0) {
				step(steps, name + "begins to perform", false,
						(w) -> w.nodes[n] = node.phase(Phase.PERFORMING, node.sequence()));
			}
			boolean asks = this.queued != 0 || !this.waiting;
			if (node.jobs() == 0 && (node.done() || asks)) {
				turn(steps, n, Kind.TURN, name + (node.done() ? "tells its outcome and fetches" : "fetches"));
			}
			turn(steps, n, Kind.RELEASE, name + "releases the shard");
		}
	}

	private void acquire(List<Step> steps, int n, int from, int uncertain, String what) {
		step(steps, what, false, (w) -> {
			Node node = w.nodes[n];
			w.nodes[n] = node.phase(Phase.CALLING, node.sequence());
			w.requests.add(new Request(Kind.ACQUIRE, n, node.session(), (uncertain > 0) ? node.epoch() : 0, uncertain,
					false, from, true));
		});
	}

	private void turn(List<Step> steps, int n, Kind kind, String what) {
		step(steps, what, kind == Kind.RELEASE, (w) -> {
			Node node = w.nodes[n].phase(Phase.CALLING, w.nodes[n].sequence() + 1);
			w.nodes[n] = node;
			w.requests
				.add(new Request(kind, n, node.session(), node.epoch(), node.sequence(), node.done(), NONE, true));
		});
	}

	private void requestSteps(List<Step> steps, Request request) {
		String name = request.kind() + " of " + (request.awaited() ? "" : "earlier ") + "node " + request.node();
		int n = request.node();
		if (!request.awaited()) {
			step(steps, name + " is applied late", false, (w) -> {
				w.requests.remove(request);
				w.apply(request, w.nodes[n]);
			});
			step(steps, name + " is lost", false, (w) -> w.requests.remove(request));
			return;
		}
		step(steps, name + " is applied", false, (w) -> {
			w.requests.remove(request);
			w.nodes[n] = w.apply(request, w.nodes[n]);
		});
		if (this.repeats < this.bounds.repeats()) {
			step(steps, name + " is applied, the answer lost, and it is sent again", true, (w) -> {
				w.repeats++;
				w.apply(request, w.nodes[n]);
			});
			step(steps, name + " is applied, and comes once more", true, (w) -> {
				w.repeats++;
				w.giveUp(n, w.apply(request, w.nodes[n]));
			});
		}
		if (this.timeouts < this.bounds.timeouts()) {
			step(steps, name + " is given up", true, (w) -> {
				w.timeouts++;
				Node node = w.nodes[n];
				w.giveUp(n, (request.kind() == Kind.RELEASE) ? node.lease(0, false)
						: node.phase(Phase.UNCERTAIN, node.sequence()));
			});
		}
	}

	/** The node waits no longer for an answer; its request may still be applied. */
	private void giveUp(int n, Node node) {
		this.requests.replaceAll((request) -> (request.node() == n) ? request.abandoned() : request);
		this.nodes[n] = node;
	}

	/** The store gets a call; returns what becomes of the node that hears the answer. */
	private Node apply(Request call, Node node) {
		return (call.kind() == Kind.ACQUIRE) ? applyAcquire(call, node) : applyTurn(call, node);
	}

	private Node applyAcquire(Request call, Node node) {
		if (this.owner != NONE && this.owner != call.session() && this.owner != call.from()) {
			return node.lease(0, false);
		}
		boolean sameLease = call.epoch() == this.epoch || !this.rules.claimNamesEpoch();
		boolean kept = this.owner == call.session() && sameLease && call.number() == this.sequence + 1;
		if (!kept) {
			restore();
		}
		this.owner = call.session();
		this.epoch++;
		this.sequence = 0;
		this.waiting = false;
		this.handedAfter = NONE;
		return node.lease(this.epoch, kept && node.done());
	}

	private Node applyTurn(Request call, Node node) {
		boolean current = call.session() == this.owner && call.epoch() == this.epoch;
		if (this.rules.epochChecked() ? !current : call.session() != this.owner) {
			return node.lease(0, false);
		}
		boolean overtaken = this.handedAfter != NONE && call.number() == this.handedAfter + 1;
		if (overtaken && call.kind() == Kind.TURN && !call.done()) {
			return node.takes(this.busy, this.sequence);
		}
		boolean next = call.number() == this.sequence + 1 || (overtaken && call.kind() == Kind.RELEASE);
		if (this.rules.sequenceChecked() && !next) {
			return node.phase(Phase.UNCERTAIN, node.sequence());
		}
		this.changedByFenced |= !current;
		this.sequence = call.number();
		this.waiting = false;
		this.handedAfter = NONE;
		this.busy = call.done() ? 0 : this.busy;
		if (call.kind() == Kind.RELEASE) {
			restore();
			this.owner = NONE;
			return node.lease(0, false);
		}
		int fetched = (this.busy == 0) ? this.queued : 0;
		this.busy |= fetched;
		this.queued &= ~fetched;
		this.waiting = fetched == 0;
		return node.jobs(Phase.FREE, fetched, false);
	}

	private void restore() {
		this.queued |= this.busy;
		this.busy = 0;
	}

	private void step(List<Step> steps, String what, boolean fault, Consumer<World> change) {
		World next = new World(this);
		change.accept(next);
		next.normalize();
		steps.add(new Step(what, fault, next));
	}

	/**
	 * Epochs and sessions are only compared: numbering those in use anew keeps the world
	 * finite.
	 */
	private void normalize() {
		int epochs = 1 | (1 << this.epoch);
		for (Node node : this.nodes) {
			epochs |= 1 << node.epoch();
		}
		for (Request request : this.requests) {
			epochs |= 1 << request.epoch();
		}
		// What no node will take is as good as dropped
		this.handOvers.removeIf((message) -> this.nodes[message.node()].epoch() != message.epoch());
		int[] names = new int[this.sessions.length + 1];
		int[] ticks = new int[this.sessions.length];
		int used = 0;
		for (Node node : this.nodes) {
			used = use(names, ticks, used, node.session());
		}
		used = use(names, ticks, used, this.owner);
		for (Request request : this.requests) {
			used = use(names, ticks, used, request.session());
			used = use(names, ticks, used, request.from());
		}
		this.sessions = Arrays.copyOf(ticks, used);
		this.owner = names[this.owner + 1] - 1;
		this.epoch = rank(epochs, this.epoch);
		for (int n = 0; n < this.nodes.length; n++) {
			Node o = this.nodes[n];
			this.nodes[n] = o.renamed(names[o.session() + 1] - 1, rank(epochs, o.epoch()));
		}
		for (int i = 0; i < this.requests.size(); i++) {
			Request r = this.requests.get(i);
			this.requests.set(i, new Request(r.kind(), r.node(), names[r.session() + 1] - 1, rank(epochs, r.epoch()),
					r.number(), r.done(), names[r.from() + 1] - 1, r.awaited()));
		}
		int inUse = epochs;
		this.handOvers.replaceAll((message) -> new HandOver(message.node(), rank(inUse, message.epoch()),
				message.after(), message.number(), message.jobs()));
	}

	private static int rank(int inUse, int number) {
		return Integer.bitCount(inUse & ((1 << number) - 1));
	}

	private int use(int[] names, int[] ticks, int used, int session) {
		if (session == NONE || names[session + 1] != 0) {
			return used;
		}
		names[session + 1] = used + 1;
		ticks[used] = this.sessions[session];
		return used + 1;
	}

	/**
	 * A text that is equal only for states that are equal but for the names of nodes and
	 * sessions: nodes and requests are put in order by what they are at, and sessions get
	 * their names in that order.
	 */
	String key() {
		String[] parts = new String[this.nodes.length];
		Integer[] order = new Integer[this.nodes.length];
		for (int n = 0; n < order.length; n++) {
			order[n] = n;
			parts[n] = text(this.nodes[n]);
		}
		Arrays.sort(order, (a, b) -> parts[a].compareTo(parts[b]));
		int[] places = new int[order.length];
		StringBuilder key = new StringBuilder(96);
		List<Integer> names = new ArrayList<>();
		add(key, this.epoch, this.sequence, this.queued, this.busy, this.pushed, this.succeeded, this.crashes,
				this.timeouts, this.repeats, this.changedByFenced ? 1 : 0, this.waiting ? 1 : 0, this.handedAfter + 1);
		for (int place = 0; place < order.length; place++) {
			places[order[place]] = place + 1;
			key.append(parts[order[place]]);
			addSession(key, names, this.nodes[order[place]].session());
		}
		addSession(key, names, this.owner);
		List<Request> ordered = new ArrayList<>(this.requests);
		ordered.sort((a, b) -> text(a, places).compareTo(text(b, places)));
		for (Request request : ordered) {
			key.append(text(request, places));
			addSession(key, names, request.session());
			addSession(key, names, request.from());
		}
		this.handOvers.stream().map((message) -> text(message, places)).sorted().forEach(key::append);
		return key.toString();
	}

	private static String text(Node node) {
		StringBuilder text = new StringBuilder(8);
		add(text, node.phase().ordinal(), node.valid(), node.held() ? 3 + node.beat() : node.beat() + 1, node.epoch(),
				node.sequence(), node.jobs(), node.done() ? 1 : 0);
		return text.toString();
	}

	private static String text(Request request, int[] places) {
		StringBuilder text = new StringBuilder(8);
		add(text, request.kind().ordinal(), request.awaited() ? places[request.node()] : 0, request.epoch(),
				request.number(), request.done() ? 1 : 0);
		return text.toString();
	}

	private static String text(HandOver message, int[] places) {
		StringBuilder text = new StringBuilder(8);
		add(text, places[message.node()], message.epoch(), message.after(), message.number(), message.jobs());
		return text.toString();
	}

	private void addSession(StringBuilder key, List<Integer> names, int session) {
		if (session != NONE && !names.contains(session)) {
			names.add(session);
		}
		add(key, names.indexOf(session) + 1, (session == NONE) ? 0 : this.sessions[session]);
	}

	private static void add(StringBuilder key, int... values) {
		for (int value : values) {
			key.append((char) value);
		}
	}

}
