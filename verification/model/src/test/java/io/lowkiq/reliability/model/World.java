package io.lowkiq.reliability.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

import io.lowkiq.reliability.model.Bounds.Failover;
import io.lowkiq.reliability.model.Node.Phase;
import io.lowkiq.reliability.model.ShardModel.Answer;
import org.jspecify.annotations.Nullable;

/**
 * One state of the model: the registry, the shard, the nodes, and the calls under way;
 * and what can happen next. Sets of payloads are bits. Nobody reads a wall clock: time is
 * counted in ticks, and each node counts them for itself.
 * <p>
 * A node may do nothing while anything else happens, so pauses of any length are in the
 * model everywhere. For the same reason an answer is heard at once or never: to hear it
 * later is to stand still after hearing it. Only heartbeats may be slow, because a lease
 * is counted from their sending. Any job may be passed over by a fetch, since it may not
 * be due by the store's clock, which may jump.
 */
final class World {

	/** The lease duration in ticks. */
	static final int LEASE = 2;

	static final int NONE = -1;

	/** Stands for the counter of a session that the registry doesn't know. */
	static final int UNKNOWN = 0;

	/** Stands for the counter of a session that has left. */
	private static final int LEFT = 1;

	/** Stands for the counter of a session that was ended by another node. */
	private static final int CRASHED = 2;

	/** The heartbeat counter of each living session; only differences matter. */
	private static final int LIVING = 8;

	/** The sequence number of the shard; only differences matter. */
	private static final int SEQUENCE = 1;

	/** The largest number of a call between the replica's last copy and the failover. */
	private static final int LAST_LOST = 2;

	private final Bounds bounds;

	private final Set<Rule> rules;

	/** Of each session: its heartbeat counter, or what stands for it. */
	private int[] sessions = {};

	private ShardModel shard;

	/** What a replica has of the shard. */
	private @Nullable ShardModel replica;

	/** The payloads enqueued before the replica stopped to copy. */
	private int replicated;

	private final Node[] nodes;

	private List<Call> calls = new ArrayList<>();

	private int crashes;

	private int timeouts;

	private int repeats;

	private boolean failedOver;

	/** What happened so far, as far as the invariants need it. */
	private int enqueued;

	private int succeeded;

	/** Whether a perform began while the id was performed under a valid lease. */
	private boolean overlapped;

	World(Bounds bounds, Set<Rule> rules) {
		this.bounds = bounds;
		this.rules = rules;
		this.shard = new ShardModel(bounds, rules);
		this.nodes = new Node[bounds.nodes()];
		Arrays.setAll(this.nodes, (n) -> new Node());
		assign(0);
	}

	private World(World other) {
		this.bounds = other.bounds;
		this.rules = other.rules;
		this.sessions = other.sessions.clone();
		this.shard = other.shard.copy();
		this.replica = other.replica;
		this.replicated = other.replicated;
		this.nodes = new Node[other.nodes.length];
		Arrays.setAll(this.nodes, (n) -> other.nodes[n].copy());
		this.calls = new ArrayList<>(other.calls);
		this.crashes = other.crashes;
		this.timeouts = other.timeouts;
		this.repeats = other.repeats;
		this.failedOver = other.failedOver;
		this.enqueued = other.enqueued;
		this.succeeded = other.succeeded;
		this.overlapped = other.overlapped;
	}

	/** What must hold in every state. */
	enum Invariant {

		/** I1: no two performs of an id overlap while the lease of the first holds. */
		EXCLUSION,

		/** I3: a payload is in the shard until it was performed. */
		NOTHING_LOST,

		/** I6: a call under an old epoch changes nothing. */
		FENCING,

		/** Rule 8: only a crash of the session that performed a job marks it. */
		MARKS

	}

	/**
	 * Something that can happen.
	 *
	 * @param fault whether the work has to come to its end without it: a fault, the end
	 * of the session of a node that runs, the release of a shard
	 */
	record Step(String what, boolean fault, World next) {
	}

	boolean breaks(Invariant invariant) {
		return switch (invariant) {
			case EXCLUSION -> this.overlapped || twoPerformOneId();
			case NOTHING_LOST -> (this.enqueued & ~(this.shard.contents() | this.succeeded)) != 0;
			case FENCING -> this.shard.changedByFenced;
			case MARKS -> this.shard.markedWithoutCrash;
		};
	}

	private boolean twoPerformOneId() {
		int performed = 0;
		for (Node node : this.nodes) {
			if (node.valid > 0) {
				int ids = this.bounds.idsOf(node.performing | node.old);
				if ((performed & ids) != 0) {
					return true;
				}
				performed |= ids;
			}
		}
		return false;
	}

	boolean isFinished() {
		return this.enqueued == this.bounds.all() && this.shard.contents() == 0;
	}

	List<Step> steps() {
		List<Step> steps = new ArrayList<>();
		for (int id : this.bounds.eachId(this.bounds.all() & ~this.enqueued)) {
			int payload = Integer.lowestOneBit(id & ~this.enqueued);
			step(steps, "enqueue " + payload, false, (w) -> {
				w.shard.enqueue(payload);
				w.enqueued |= payload;
			});
		}
		if (this.bounds.timePasses()) {
			boolean lapses = Arrays.stream(this.nodes).anyMatch((node) -> node.valid == 1);
			step(steps, "tick", lapses, (w) -> {
				for (Node node : w.nodes) {
					node.tick(LEASE);
				}
			});
		}
		if (!this.failedOver) {
			failoverSteps(steps);
		}
		for (int n = 0; n < this.nodes.length; n++) {
			nodeSteps(steps, n, this.nodes[n], "node " + n + " ");
		}
		for (Call call : this.calls) {
			answerSteps(steps, call);
		}
		return steps;
	}

	// failover

	private void failoverSteps(List<Step> steps) {
		Failover failover = this.bounds.failover();
		if (failover.ofTheShard()) {
			ShardModel copied = this.replica;
			if (copied == null) {
				step(steps, "the replica stops copying", true, (w) -> {
					w.replica = w.shard.copy();
					w.replicated = w.enqueued;
				});
			}
			else {
				step(steps, "the replica takes over", false, (w) -> {
					w.failedOver = true;
					w.shard = copied.copy();
					w.enqueued = w.replicated;
					w.replica = null;
					w.replicated = 0;
				});
			}
		}
		for (int s = 0; s < this.sessions.length; s++) {
			int session = s;
			boolean living = this.sessions[s] >= LIVING - 1;
			if (failover == Failover.OF_A_HEARTBEAT && living) {
				forget(steps, session, this.sessions[s] - 1, "a heartbeat");
			}
			if (failover == Failover.OF_SESSIONS && living) {
				forget(steps, session, UNKNOWN, "the beginning");
			}
			if (failover == Failover.OF_SESSIONS && (this.sessions[s] == LEFT || this.sessions[s] == CRASHED)) {
				forget(steps, session, LIVING, "the end");
			}
		}
	}

	private void forget(List<Step> steps, int session, int state, String what) {
		step(steps, "the registry forgets " + what + " of session " + session, true, (w) -> {
			w.failedOver = true;
			w.sessions[session] = state;
		});
	}

	// nodes

	private void nodeSteps(List<Step> steps, int n, Node node, String name) {
		if (node.phase == Phase.DOWN) {
			step(steps, name + "starts", false, (w) -> w.nodes[n].phase = Phase.FREE);
			return;
		}
		if (this.crashes < this.bounds.crashes()) {
			step(steps, name + "crashes", true, (w) -> {
				w.crashes++;
				w.end(n);
			});
		}
		performSteps(steps, n, node, name);
		watchSteps(steps, n, node, name);
		if (node.session != NONE) {
			beatSteps(steps, n, node, name);
			callSteps(steps, n, node, name);
		}
		else {
			step(steps, name + "joins", false, (w) -> {
				w.sessions = Arrays.copyOf(w.sessions, w.sessions.length + 1);
				w.sessions[w.sessions.length - 1] = LIVING;
				w.nodes[n].session = w.sessions.length - 1;
				w.nodes[n].valid = LEASE;
			});
		}
	}

	private void performSteps(List<Step> steps, int n, Node node, String name) {
		if (node.valid > 0 || (node.session != NONE && !holds(Rule.LEASE_ASKED))) {
			int startable = holds(Rule.RETURNED_NOT_BEGUN) ? node.waiting & ~node.returning : node.waiting;
			for (int id : this.bounds.eachId(startable)) {
				step(steps, name + "begins to perform " + id, false, (w) -> {
					w.begin(n, id);
					w.nodes[n].performing |= node.waiting & id;
					w.nodes[n].waiting &= ~id;
				});
			}
			for (int id : this.bounds.eachId(node.leftover)) {
				step(steps, name + "begins to perform " + id + ", which was put back", false, (w) -> {
					w.begin(n, id);
					w.nodes[n].old |= node.leftover & id;
					w.nodes[n].leftover &= ~id;
				});
			}
		}
		for (int id : this.bounds.eachId(node.performing)) {
			step(steps, name + "has performed " + id, false, (w) -> {
				w.succeeded |= node.performing & id;
				w.nodes[n].performing &= ~id;
				w.nodes[n].done |= id;
			});
			if (this.bounds.jobsComeBack()) {
				step(steps, name + "has failed at " + id, false, (w) -> {
					w.nodes[n].performing &= ~id;
					w.nodes[n].failed |= id;
				});
			}
		}
		for (int id : this.bounds.eachId(node.old | node.past)) {
			step(steps, name + "ends an old perform of " + id, false, (w) -> {
				w.succeeded |= (node.old | node.past) & id;
				w.nodes[n].old &= ~id;
				w.nodes[n].past &= ~id;
			});
		}
	}

	private void begin(int n, int id) {
		Node node = this.nodes[n];
		this.overlapped |= (this.bounds.idsOf(node.running()) & id) != 0;
		for (Node other : this.nodes) {
			this.overlapped |= other != node && other.valid > 0
					&& (this.bounds.idsOf(other.performing | other.old) & id) != 0;
		}
	}

	// sessions

	private void watchSteps(List<Step> steps, int n, Node node, String name) {
		int owner = this.shard.owner;
		if (owner != NONE && owner != node.session && (node.watched != owner || node.seen != this.sessions[owner])
				&& isWatchable(owner)) {
			boolean late = holds(Rule.WATCHED_FROM_ANSWER) || (node.looking && node.watched == owner);
			step(steps, name + (late ? "sees" : "asks for") + " the counter of session " + owner, false, (w) -> {
				Node observer = w.nodes[n];
				observer.watchedFor = observer.looking ? observer.watchedFor : 0;
				observer.watched = owner;
				observer.looking = !late;
				observer.seen = late ? w.sessions[owner] : NONE;
			});
		}
		if (node.watched == NONE || node.watchedFor < LEASE || node.looking
				|| this.sessions[node.watched] < LIVING - 1) {
			return;
		}
		if (node.seen == this.sessions[node.watched] || !holds(Rule.COUNTER_COMPARED)) {
			boolean alive = Arrays.stream(this.nodes).anyMatch((other) -> other.session == node.watched);
			step(steps, name + "ends session " + node.watched, alive, (w) -> w.sessions[node.watched] = CRASHED);
		}
	}

	private boolean isWatchable(int session) {
		return this.sessions[session] >= LIVING - 1 || this.sessions[session] == UNKNOWN;
	}

	private void beatSteps(List<Step> steps, int n, Node node, String name) {
		int session = node.session;
		boolean held = this.sessions[session] >= LIVING - 1;
		if (node.valid == 0 && holds(Rule.LAPSE_IS_FINAL)) {
			if (node.phase == Phase.CALLING) {
				return;
			}
			step(steps, name + "leaves its lapsed session", false, (w) -> {
				w.sessions[session] = held ? LEFT : w.sessions[session];
				w.nodes[n].loseSession();
			});
			return;
		}
		boolean slow = this.bounds.slowHeartbeats();
		if (slow) {
			String what = (node.beat == NONE) ? "sends a heartbeat" : "loses its heartbeat and sends another";
			step(steps, name + what, false, (w) -> {
				w.nodes[n].beat = 0;
				w.nodes[n].beatCounted = false;
			});
			if (node.beat == NONE) {
				return;
			}
		}
		boolean counts = held || (!holds(Rule.END_IS_FINAL) && this.sessions[session] != UNKNOWN);
		if (node.beatCounted || counts) {
			step(steps, name + "hears that its session is held", false, (w) -> {
				if (!node.beatCounted) {
					w.count(session);
				}
				int age = w.holds(Rule.COUNTED_FROM_SENDING) ? Math.max(0, node.beat) : 0;
				w.nodes[n].hearsHeld(LEASE - age, w.countsFromTheOneBefore());
			});
		}
		else if (node.phase != Phase.CALLING) {
			step(steps, name + "hears that its session has ended", false, (w) -> w.nodes[n].loseSession());
		}
		if (slow && counts && !node.beatCounted) {
			step(steps, name + "counts a heartbeat and does not hear it yet", false, (w) -> {
				w.count(session);
				w.nodes[n].beatCounted = true;
			});
		}
	}

	private void count(int session) {
		this.sessions[session] = (this.sessions[session] >= LIVING - 1) ? this.sessions[session] + 1 : LIVING;
	}

	// calls

	private void callSteps(List<Step> steps, int n, Node node, String name) {
		switch (node.phase) {
			case UNCERTAIN -> {
				acquire(steps, n, NONE, 0, name + "acquires its lease again");
				if (node.sequence > 0) {
					acquire(steps, n, NONE, node.sequence, name + "acquires its lease again, naming its call");
				}
			}
			case OUT_OF_STEP -> acquire(steps, n, NONE, holds(Rule.OUT_OF_STEP_RESTORES) ? 0 : node.sequence,
					name + "acquires its lease again, being out of step");
			case FREE -> {
				if (node.epoch != 0) {
					ownerSteps(steps, n, node, name);
				}
				else if (node.valid > 0) {
					acquireSteps(steps, n, node, name);
				}
				if (node.epoch == 0 && node.running() == 0) {
					step(steps, name + "leaves", true, (w) -> {
						w.sessions[node.session] = LEFT;
						w.end(n);
					});
				}
			}
			default -> {
			}
		}
	}

	private void acquireSteps(List<Step> steps, int n, Node node, String name) {
		int owner = this.shard.owner;
		if (node.elsewhere && (owner != node.session || !node.told)) {
			return;
		}
		if (owner == NONE || owner == node.session) {
			acquire(steps, n, NONE, 0, name + "asks for the free shard");
			return;
		}
		if (holds(Rule.HOLDER_TOLD)) {
			tellSteps(steps, owner, name);
		}
		int state = this.sessions[owner];
		boolean silent = !holds(Rule.UNKNOWN_WATCHED)
				|| (node.watched == owner && node.seen == UNKNOWN && node.watchedFor == LEASE && !node.looking);
		if (state == LEFT || state == CRASHED || (state == UNKNOWN && silent)) {
			acquire(steps, n, owner, 0, name + "asks for the shard of session " + owner);
		}
	}

	/** A holder that knows that it is one doesn't care. */
	private void tellSteps(List<Step> steps, int owner, String name) {
		for (int h = 0; h < this.nodes.length; h++) {
			int holder = h;
			Node node = this.nodes[h];
			if (node.session == owner && node.epoch == 0 && node.elsewhere && !node.told) {
				step(steps, name + "is refused, and node " + h + " is told", false, (w) -> w.nodes[holder].told = true);
			}
		}
	}

	private void ownerSteps(List<Step> steps, int n, Node node, String name) {
		if (this.replica != null && node.sequence == LAST_LOST) {
			return;
		}
		if (node.elsewhere && node.busy() == 0 && node.running() == 0) {
			release(steps, n, node, name, false);
			return;
		}
		boolean waits = (node.old | node.past) != 0 && holds(Rule.OLD_PERFORMS_AWAITED);
		int[] due = waits ? new int[0] : this.bounds.eachId(this.shard.queued);
		boolean agreed = this.shard.owner == node.session && this.shard.epoch == node.epoch
				&& this.shard.agrees(node.sequence + 1, this.bounds.count(node.busy()));
		if (!agreed) {
			completeAndFetch(steps, n, 0, 0, name);
		}
		boolean outcomes = (node.done | node.failed) != 0;
		boolean returns = node.waiting != 0 && this.bounds.jobsComeBack();
		for (int returned : returns ? new int[] { 0, node.waiting } : new int[] { 0 }) {
			if (returned != 0 || (outcomes && agreed)) {
				completeAndFetch(steps, n, returned, 0, name);
			}
			for (int fetch : due) {
				completeAndFetch(steps, n, returned, fetch, name);
			}
			if (due.length > 1) {
				completeAndFetch(steps, n, returned, this.bounds.all(), name);
			}
		}
		boolean runs = node.performing != 0 && holds(Rule.RELEASE_AWAITS_PERFORMS);
		boolean ran = (node.old | node.past) != 0 && holds(Rule.RELEASE_AWAITS_OLD_PERFORMS);
		if (!runs && !ran) {
			release(steps, n, node, name, true);
		}
	}

	private void release(List<Step> steps, int n, Node node, String name, boolean fault) {
		step(steps, name + "releases the shard", fault, (w) -> {
			w.send(n, Call.Kind.RELEASE, 0, 0);
			w.nodes[n].returning = node.waiting;
			w.assign(n + 1);
		});
	}

	/**
	 * Only where a release may be forgotten: everywhere else each node may ask for the
	 * shard at any time, which allows more and has fewer states.
	 */
	private void assign(int owner) {
		if (this.bounds.failover().ofTheShard()) {
			for (int n = 0; n < this.nodes.length; n++) {
				this.nodes[n].elsewhere = n != owner % this.nodes.length;
			}
		}
	}

	private void completeAndFetch(List<Step> steps, int n, int returned, int fetch, String name) {
		Node node = this.nodes[n];
		String what = name + "completes " + node.done + ", returns " + (returned | node.failed) + " and fetches "
				+ fetch;
		step(steps, what, false, (w) -> {
			w.send(n, Call.Kind.COMPLETE_AND_FETCH, returned, fetch);
			w.nodes[n].returning = returned;
		});
	}

	private void send(int n, Call.Kind kind, int returned, int fetch) {
		Node node = this.nodes[n];
		node.phase = Phase.CALLING;
		node.sequence++;
		this.calls.add(new Call(kind, n, node.session, node.epoch, node.sequence, this.bounds.count(node.busy()),
				this.bounds.idsOf(node.done), this.bounds.idsOf(returned | node.failed), fetch, NONE, false, true));
	}

	private void acquire(List<Step> steps, int n, int from, int uncertain, String what) {
		step(steps, what, false, (w) -> {
			Node node = w.nodes[n];
			node.phase = Phase.CALLING;
			boolean crashed = from != NONE && w.sessions[from] == CRASHED;
			w.calls.add(new Call(Call.Kind.ACQUIRE, n, node.session, (uncertain > 0) ? node.epoch : 0, uncertain, 0, 0,
					0, 0, from, crashed, true));
		});
	}

	private void answerSteps(List<Step> steps, Call call) {
		String name = call.kind() + " of " + (call.awaited() ? "" : "earlier ") + "node " + call.node();
		int n = call.node();
		if (!call.awaited()) {
			step(steps, name + " is applied late", false, (w) -> {
				w.calls.remove(call);
				w.apply(call);
			});
			step(steps, name + " is lost", false, (w) -> w.calls.remove(call));
			return;
		}
		step(steps, name + " is applied", false, (w) -> {
			w.calls.remove(call);
			w.hears(n, call, w.apply(call));
		});
		if (this.repeats < this.bounds.repeats()) {
			step(steps, name + " is applied, the answer lost, and it is sent again", true, (w) -> {
				w.repeats++;
				w.apply(call);
			});
			step(steps, name + " is applied, and comes once more", true, (w) -> {
				w.repeats++;
				w.abandon(n);
				w.hears(n, call, w.apply(call));
			});
		}
		if (this.timeouts < this.bounds.timeouts()) {
			step(steps, name + " is given up", true, (w) -> {
				w.timeouts++;
				w.abandon(n);
				w.nodes[n].phase = Phase.UNCERTAIN;
				if (call.kind() == Call.Kind.RELEASE) {
					w.nodes[n].loseLease();
				}
			});
		}
	}

	private Answer apply(Call call) {
		return switch (call.kind()) {
			case COMPLETE_AND_FETCH -> this.shard.completeAndFetch(call);
			case RELEASE -> this.shard.release(call);
			case ACQUIRE -> this.shard.acquire(call, nextEpoch());
		};
	}

	/** By the store's clock, an epoch is larger than any that was given. */
	private int nextEpoch() {
		int highest = this.shard.epoch;
		if (this.bounds.failover() == Failover.OF_THE_SHARD) {
			highest = Math.max(highest, Arrays.stream(this.nodes).mapToInt((node) -> node.epoch).max().orElse(0));
			highest = Math.max(highest, this.calls.stream().mapToInt(Call::epoch).max().orElse(0));
		}
		return highest + 1;
	}

	private void hears(int n, Call call, Answer answer) {
		Node node = this.nodes[n];
		node.phase = Phase.FREE;
		switch (answer) {
			case FENCED, RELEASED -> node.loseLease();
			case OUT_OF_STEP -> node.phase = Phase.OUT_OF_STEP;
			case FETCHED -> {
				node.done &= ~call.done();
				node.failed &= ~call.returned();
				node.waiting &= ~node.returning;
				node.returning = 0;
				node.waiting |= this.shard.fetched;
			}
			case KEPT -> {
				node.returning = 0;
				node.epoch = this.shard.epoch;
				node.sequence = 0;
			}
			case RESTORED -> {
				node.leftover |= holds(Rule.PUT_BACK_FORGOTTEN) ? 0 : node.waiting;
				node.loseLease();
				node.epoch = this.shard.epoch;
			}
		}
	}

	/** The node waits for no answer any more; what it sent may still be applied. */
	private void abandon(int n) {
		this.calls.replaceAll((call) -> (call.node() == n) ? call.abandoned() : call);
	}

	/** The node's JVM ends. */
	private void end(int n) {
		abandon(n);
		boolean elsewhere = this.nodes[n].elsewhere;
		this.nodes[n] = new Node();
		this.nodes[n].phase = Phase.DOWN;
		this.nodes[n].elsewhere = elsewhere;
		if (!elsewhere) {
			assign(n + 1);
		}
	}

	/**
	 * Only where a heartbeat may be forgotten: everywhere else a node is given more time
	 * than it has, which allows it more and has fewer states.
	 */
	private boolean countsFromTheOneBefore() {
		return this.bounds.failover() == Failover.OF_A_HEARTBEAT && holds(Rule.COUNTED_FROM_THE_ONE_BEFORE);
	}

	private boolean holds(Rule rule) {
		return this.rules.contains(rule);
	}

	private void step(List<Step> steps, String what, boolean fault, Consumer<World> change) {
		World next = new World(this);
		change.accept(next);
		next.normalize();
		steps.add(new Step(what, fault, next));
	}

	// equal states

	/**
	 * Epochs, sessions, counters and sequence numbers are only compared: numbering those
	 * in use from the beginning keeps the world finite.
	 */
	private void normalize() {
		normalizeSequences();
		normalizeEpochs();
		normalizeSessions();
	}

	/** A number that is not above the shard's will never be the next one. */
	private void normalizeSequences() {
		this.shard.fetched = 0;
		if (this.replica != null || !holds(Rule.EPOCH_CHECKED) || !holds(Rule.SEQUENCE_CHECKED)) {
			return;
		}
		this.calls.removeIf(this::isOver);
		int shift = Math.max(0, this.shard.sequence - SEQUENCE);
		this.shard.sequence -= shift;
		for (Node node : this.nodes) {
			node.sequence = normalized(node.epoch, node.sequence, shift);
		}
		this.calls.replaceAll((call) -> call.renamed(call.session(), call.epoch(),
				normalized(call.epoch(), call.number(), shift), call.from()));
	}

	private int normalized(int epoch, int number, int shift) {
		int over = Math.min(number, 1);
		if (epoch < this.shard.epoch) {
			return over;
		}
		return (epoch == this.shard.epoch) ? Math.max(over, number - shift) : number;
	}

	/** Whether a call will change nothing, and nobody hears its answer. */
	private boolean isOver(Call call) {
		boolean old = call.epoch() < this.shard.epoch
				|| (call.epoch() == this.shard.epoch && call.number() <= this.shard.sequence);
		boolean comesBack = this.bounds.failover().ofTheShard() && !this.failedOver;
		return old && !comesBack && !call.awaited() && call.kind() != Call.Kind.ACQUIRE;
	}

	private void normalizeEpochs() {
		int used = 1 | (1 << this.shard.epoch);
		used |= (this.replica != null) ? (1 << this.replica.epoch) | (2 << this.replica.epoch) : 0;
		for (Node node : this.nodes) {
			used |= 1 << node.epoch;
		}
		for (Call call : this.calls) {
			used |= 1 << call.epoch();
		}
		int inUse = used;
		this.shard.epoch = rank(inUse, this.shard.epoch);
		if (this.replica != null) {
			this.replica = this.replica.copy();
			this.replica.epoch = rank(inUse, this.replica.epoch);
		}
		for (Node node : this.nodes) {
			node.epoch = rank(inUse, node.epoch);
		}
		this.calls
			.replaceAll((call) -> call.renamed(call.session(), rank(inUse, call.epoch()), call.number(), call.from()));
	}

	private void normalizeSessions() {
		int[] names = new int[this.sessions.length + 1];
		int used = 0;
		for (Node node : this.nodes) {
			used = use(names, used, node.session);
		}
		used = use(names, used, this.shard.owner);
		used = use(names, used, (this.replica != null) ? this.replica.owner : NONE);
		for (Call call : this.calls) {
			used = use(names, used, call.session());
			used = use(names, used, call.from());
		}
		for (Node node : this.nodes) {
			// Nobody watches a session that can own nothing any more
			if (node.watched != NONE && names[node.watched + 1] == 0 || isPointless(node)) {
				node.watched = NONE;
				node.looking = false;
			}
			if (node.watched == NONE) {
				node.watchedFor = 0;
				node.seen = 0;
			}
			else if (node.seen != NONE && this.sessions[node.watched] >= LIVING - 1) {
				node.seen += LIVING - this.sessions[node.watched];
			}
		}
		int[] renamed = new int[used];
		for (int s = 0; s < this.sessions.length; s++) {
			if (names[s + 1] != 0) {
				renamed[names[s + 1] - 1] = (this.sessions[s] >= LIVING - 1) ? LIVING : this.sessions[s];
			}
		}
		this.sessions = renamed;
		this.shard.owner = names[this.shard.owner + 1] - 1;
		if (this.replica != null) {
			this.replica.owner = names[this.replica.owner + 1] - 1;
		}
		for (Node node : this.nodes) {
			node.session = names[node.session + 1] - 1;
			node.watched = names[node.watched + 1] - 1;
		}
		this.calls.replaceAll((call) -> call.renamed(names[call.session() + 1] - 1, call.epoch(), call.number(),
				names[call.from() + 1] - 1));
	}

	/** Whether what a node saw can't come back. */
	private boolean isPointless(Node node) {
		if (node.watched == NONE || node.looking || !holds(Rule.COUNTER_COMPARED)) {
			return false;
		}
		int state = this.sessions[node.watched];
		if (state == LEFT || state == CRASHED) {
			return this.failedOver || this.bounds.failover() != Failover.OF_SESSIONS;
		}
		boolean forgets = this.bounds.failover() == Failover.OF_A_HEARTBEAT && !this.failedOver;
		return (state == UNKNOWN) ? node.seen != UNKNOWN : node.seen < state - (forgets ? 1 : 0);
	}

	private static int use(int[] names, int used, int session) {
		if (session == NONE || names[session + 1] != 0) {
			return used;
		}
		names[session + 1] = used + 1;
		return used + 1;
	}

	private static int rank(int inUse, int number) {
		return Integer.bitCount(inUse & ((1 << number) - 1));
	}

	/**
	 * A text that is equal only for states that are equal but for the names of nodes and
	 * sessions: nodes and calls are put in order by what they are at, and sessions get
	 * their names in that order.
	 */
	String key() {
		String[] parts = new String[this.nodes.length];
		int[] order = new int[this.nodes.length];
		for (int n = 0; n < order.length; n++) {
			StringBuilder part = new StringBuilder(24);
			this.nodes[n].append(part);
			parts[n] = part.toString();
			int place = n;
			for (; place > 0 && parts[order[place - 1]].compareTo(parts[n]) > 0; place--) {
				order[place] = order[place - 1];
			}
			order[place] = n;
		}
		int[] places = new int[order.length];
		StringBuilder key = new StringBuilder(96);
		int[] names = new int[this.sessions.length + 1];
		add(key, this.enqueued, this.succeeded, this.crashes, this.timeouts, this.repeats, this.failedOver ? 1 : 0,
				this.overlapped ? 1 : 0);
		addShard(key, names, this.shard);
		for (int place = 0; place < order.length; place++) {
			places[order[place]] = place + 1;
			key.append(parts[order[place]]);
			addSession(key, names, this.nodes[order[place]].session);
			addSession(key, names, this.nodes[order[place]].watched);
		}
		if (this.replica != null) {
			add(key, this.replicated);
			addShard(key, names, this.replica);
		}
		List<Call> ordered = this.calls;
		if (ordered.size() > 1) {
			ordered = new ArrayList<>(ordered);
			ordered.sort((a, b) -> text(a, places).compareTo(text(b, places)));
		}
		for (Call call : ordered) {
			key.append(text(call, places));
			addSession(key, names, call.session());
			addSession(key, names, call.from());
		}
		return key.toString();
	}

	private void addShard(StringBuilder key, int[] names, ShardModel some) {
		add(key, some.epoch, some.sequence, some.queued, some.behind, some.busy, some.changedByFenced ? 1 : 0,
				some.markedWithoutCrash ? 1 : 0);
		addSession(key, names, some.owner);
	}

	private static String text(Call call, int[] places) {
		StringBuilder text = new StringBuilder(12);
		add(text, call.kind().ordinal(), call.awaited() ? places[call.node()] : 0, call.epoch(), call.number(),
				call.busy(), call.done(), call.returned(), call.fetch(), call.crashed() ? 1 : 0);
		return text.toString();
	}

	private void addSession(StringBuilder key, int[] names, int session) {
		if (session == NONE) {
			add(key, 0, 0);
			return;
		}
		if (names[session] == 0) {
			names[session] = ++names[names.length - 1];
		}
		add(key, names[session], this.sessions[session]);
	}

	static void add(StringBuilder key, int... values) {
		for (int value : values) {
			key.append((char) (value + 1));
		}
	}

}
