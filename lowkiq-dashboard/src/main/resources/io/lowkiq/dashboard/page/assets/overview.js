// What is wrong now, all queues, the nodes, and Redis.

import { get, jobLink, mayAct, pageLink, queueLink } from "./api.js";
import { countColumns, queueBadges, tiles } from "./counts.js";
import { bytes, duration, number, plural, withTimes } from "./format.js";
import { ago, at, badge, empty, facts, foreign, html, lasting, link, nothing, sorted, table } from "./ui.js";

const PAGE = 25;

const FOLDED_FROM = 4;

const MAX_NODES = 25;

// More queues of a node, and more characters of the numbers of a queue's shards, are folded
const MAX_OWNED = 8;
const MAX_RANGES = 60;

const QUEUE_COLUMNS = [
	{ key: "name", label: "Queue", value: (row) => row.queue, cell: (row) => html`${link(queueLink(row.queue), foreign(row.queue))}${queueBadges(row)}` },
	...countColumns(["lag", "enqueued", "due", "delayed", "retries", "held", "busy", "dead", "processed", "failed"], (row) => row.queue),
	{ key: "shards", label: "Shards", number: true, value: (row) => row.shards, cell: (row) => number(row.shards) }
];

// Where to look further
function place(problem) {
	switch (problem.kind) {
		case "UNOWNED_SHARDS": case "NEWER_SHARDS": case "UNSERVED_QUEUE": case "STRANDED_JOBS": case "FOREIGN_QUEUE": case "SHARED_QUEUE": return problem.queue ? queueLink(problem.queue, { view: "shards" }) : "#queues-title";
		case "OVERDUE": return !problem.queue ? "#queues-title" : problem.queue.endsWith(".schedules") ? pageLink("schedules") : queueLink(problem.queue, { state: "due" });
		case "HELD": return problem.queue ? queueLink(problem.queue, { state: "held" }) : "#queues-title";
		case "DEAD": return problem.queue ? queueLink(problem.queue, { state: "dead", error: problem.error }) : "#queues-title";
		case "POISON": return problem.id ? jobLink(problem.queue, problem.id) : "#queues-title";
		case "LEASE_LOST": return problem.id ? jobLink(problem.queue, problem.id) : pageLink("running");
		case "THREADS_BUSY": return pageLink("running");
		case "LONG_RUNNING": return problem.id ? jobLink(problem.queue, problem.id) : pageLink("running");
		case "ERROR_BURST": return pageLink("errors", { queue: problem.queue });
		case "GIVEN_UP": return problem.queue ? queueLink(problem.queue, { state: "dead" }) : "#queues-title";
		case "SCHEDULE_STOPPED": case "SCHEDULE_PAUSED": return pageLink("schedules");
		case "SOURCE_STOPPED": case "SOURCE_WAITS": case "SOURCE_PAUSED": return pageLink("sources");
		case "GROUPS_PAUSED": return queueLink(problem.queue, { view: "groups", show: "set" });
		case "LIMITED": return queueLink(problem.queue, problem.id ? { view: "groups" } : { state: "due" });
		case "PAUSED": return problem.queue ? queueLink(problem.queue) : "#queues-title";
		case "OUTBOX_STOPPED": case "OUTBOX_WAITS": case "OUTBOX_ASIDE": return pageLink("outbox");
		case "FOLLOW_UPS_WAIT": return pageLink("follow-ups");
		case "FORGOTTEN": case "CALLS_FORGOTTEN": case "EVICTION": case "REDIS_FULL": case "REDIS_NEARLY_FULL": return "#redis";
		default: return "#nodes";
	}
}

// The next step, where one button is enough: an action of the queue, and its label
const STEPS = {
	PAUSED: ["resume", "Resume queue"],
	HELD: ["release-all", "Release all"],
	DEAD: ["re-enqueue", "Retry this error"],
	POISON: ["hold", "Hold"]
};

// Only what has happened is bold, not what follows from it
function said(sentence) {
	const [, first, rest] = /^(.*?[.:;]) (.*)$/s.exec(withTimes(sentence)) ?? [null, withTimes(sentence)];
	return html`${foreign(first)}${rest ? html` <span class="rest">${foreign(rest)}</span>` : nothing}`;
}

const SEVERITIES = { danger: { sign: "!", word: "Severe" }, warning: { sign: "▲", word: "Warning" }, note: { sign: "·", word: "Note" } };

// Queues that need someone come first
function trouble(row) {
	return (row.unowned > 0 ? 16 : 0) + (row.failing ? 8 : 0) + (row.counts.lag > 60000 ? 4 : 0) + (row.paused ? 2 : 0) + (row.counts.dead > 0 ? 1 : 0);
}

const hasJobs = ({ counts }) => Number(counts.enqueued + counts.busy + counts.dead > 0);

export class Overview {
	constructor(app, parameters) {
		this.app = app;
		this.title = "Overview";
		this.crumbs = [];
		this.filter = parameters.get("q") ?? "";
		this.sort = parameters.get("sort");
		this.page = Math.max(1, Number.parseInt(parameters.get("page") ?? "1", 10) || 1);
		this.openNodes = new Set();
	}

	async refresh() {
		this.overview = await get("overview");
		this.loadButtons();
		this.app.heard(this.overview.now);
		this.rows = this.overview.queues.map((queue) => ({ ...queue, queue: queue.name, key: queue.name }));
		this.app.draw();
		await this.showChart();
		await this.readRedis();
	}

	// Where it fails, the next refresh tries again
	loadButtons() {
		if (!this.actionButton && mayAct() && this.overview.problems.some((problem) => problem.queue && (STEPS[problem.kind] || problem.kind === "GROUPS_PAUSED"))) {
			import("./actions.js").then(({ actionButton, pauseButton }) => {
				Object.assign(this, { actionButton, pauseButton });
				this.app.draw();
			}, () => { /* The problems are worth showing without them */ });
		}
	}

	// The chart is worth waiting for after the numbers, not before
	async showChart() {
		if (!this.chart) {
			const { HistoryChart } = await import("./chart.js");
			this.chart = new HistoryChart(null);
			this.app.draw();
		}
		await this.chart.refresh().catch(() => { /* The totals are worth showing without it */ });
	}

	async readRedis() {
		if (!this.redisAt || performance.now() - this.redisAt > 5000) {
			this.redisAt = performance.now();
			this.redis = await get("redis").catch((error) => ({ problem: error.message }));
		}
	}

	change(changes) {
		Object.assign(this, { page: 1, ...changes });
		this.app.remember(pageLink("", { q: this.filter, sort: this.sort, page: this.page > 1 ? this.page : null }));
		this.app.draw();
	}

	view() {
		return html`<h1 tabindex="-1">Overview</h1>
			${this.problems()}
			${tiles(this.overview?.totals, { threads: this.threads(), to: (state) => this.listOf(state) })}
			${this.queues()}
			${this.chart?.element ?? nothing}
			<section class="card" aria-labelledby="nodes-title" id="nodes">
				<div class="card-head"><h2 id="nodes-title">Nodes</h2><span class="muted">${this.overview ? number(this.overview.nodes.length) : ""}</span></div>
				${this.overview ? this.nodes() : nothing}</section>
			<section class="card" aria-labelledby="redis-title" id="redis">
				<div class="card-head"><h2 id="redis-title">Redis</h2></div><div class="redis">${this.redis ? redisFacts(this.redis) : nothing}</div></section>`;
	}

	threads() {
		const nodes = this.overview?.nodes ?? [];
		const sum = (count) => nodes.reduce((all, node) => all + count(node), 0);
		return { count: sum((node) => node.threadCount), busy: sum((node) => node.threads.filter((thread) => thread.ids.length > 0).length), lost: this.overview?.lostRuns ?? 0 };
	}

	// The list of the only queue that has such jobs, or the queues with most of them first
	listOf(state) {
		const key = state === "due" ? "due" : state;
		const rows = (this.rows ?? []).filter((row) => row.counts[key] > 0);
		return rows.length === 1 ? queueLink(rows[0].queue, { state }) : pageLink("", { sort: `-${key}` });
	}

	problems() {
		if (!this.overview) {
			return nothing;
		}
		const problems = this.overview.problems;
		return html`<section class="card problems" aria-labelledby="problems-title" id="problems">
			<div class="card-head"><h2 id="problems-title">What is wrong now</h2>
				${problems.length > 0 ? html`<span class="muted">${number(problems.length)}</span>` : nothing}</div>
			${this.app.isOutdated() ? html`<p class="muted">There is no current data. As of the last update:</p>` : nothing}
			${problems.length === 0 ? html`<p class=${this.app.isOutdated() ? "muted" : "fine"}>${this.app.isOutdated() ? "Nothing was wrong." : "Nothing is wrong."}</p>`
			: html`<ul>${problems.map((problem) => html`<li class=${problem.severity} data-kind=${problem.kind}>
				<span class="severity ${problem.severity}" aria-hidden="true">${SEVERITIES[problem.severity].sign}</span><span class="hidden">${SEVERITIES[problem.severity].word}: </span>
				<a href=${place(problem)} ?data-nav=${!place(problem).startsWith("#")}>${said(problem.sentence)}</a>
				<span class="next-step">${this.step(problem)}${link(pageLink("help", { about: problem.help }), "What to do", `What to do: ${problem.sentence}`)}</span></li>`)}</ul>`}
		</section>`;
	}

	// What can be done about a problem at once
	step(problem) {
		const { kind, queue, error, id, node } = problem;
		if (kind === "GROUPS_PAUSED") {
			return this.pauseButton && id !== null ? this.pauseButton(this.app, queue, id, true, " group") : nothing;
		}
		const [action, label] = STEPS[kind] ?? [];
		if (!this.actionButton || !action || !queue || kind === "DEAD" && !error || kind === "POISON" && !id) {
			return nothing;
		}
		const text = kind === "POISON" && node ? `${label} when it comes back` : label;
		const jobs = kind === "DEAD" ? { selection: { state: "dead", error } } : kind === "POISON" ? { ids: [id] } : {};
		return this.actionButton(queue, action, text, { ...jobs, kind: "small quiet", after: () => this.app.refresh(), name: `${text}: ${id ?? queue}` });
	}

	queues() {
		const all = this.rows ?? [];
		const wanted = this.filter.trim().toLowerCase();
		const matching = all.filter((row) => row.queue.toLowerCase().includes(wanted));
		const order = this.sort ? sorted(matching, QUEUE_COLUMNS, this.sort)
			: [...matching].sort((a, b) => trouble(b) - trouble(a) || hasJobs(b) - hasJobs(a) || (a.queue < b.queue ? -1 : 1));
		const pages = Math.max(1, Math.ceil(order.length / PAGE));
		const page = Math.min(this.page, pages);
		return html`<div class="card">
			<div class="card-head"><h2 id="queues-title">Queues</h2>
				<span class="muted" id="queue-count">${!this.rows ? "" : wanted ? `${number(matching.length)} of ${number(all.length)}` : number(all.length)}</span>
				<label class="filter"><span class="hidden">Filter queues by name</span><input type="search" id="queue-filter" placeholder="Filter by name"
					autocomplete="off" .value=${this.filter} @input=${(event) => this.change({ filter: event.target.value })}></label></div>
			${this.rows ? table({
				caption: "Queues", name: "queues", columns: QUEUE_COLUMNS, rows: order.slice((page - 1) * PAGE, page * PAGE), sort: this.sort,
				onSort: (sort) => this.change({ sort }),
				none: wanted ? "No matching queues." : "No queues yet. A queue appears when its worker starts or a job is enqueued."
			}) : empty("Loading…")}
			${pages > 1 ? html`<nav class="pager" aria-label="Pages of queues">
				<button type="button" ?disabled=${page === 1} @click=${() => this.change({ page: page - 1 })}>Previous</button>
				<span class="muted">Page ${page} of ${pages}</span>
				<button type="button" ?disabled=${page === pages} @click=${() => this.change({ page: page + 1 })}>Next</button></nav>` : nothing}
		</div>`;
	}

	nodes() {
		const { nodes, endedNodes } = this.overview;
		const folded = nodes.length > FOLDED_FROM;
		return html`${nodes.length === 0 ? empty("No node is running, so no jobs run.")
			: html`<div class="nodes ${folded ? "folded" : ""}">${nodes.slice(0, this.allNodes ? nodes.length : MAX_NODES).map((node) => (folded ? this.fold(node) : html`<article class="node">
				<h3>${foreign(node.node)}</h3>${this.node(node)}</article>`))}</div>`}
			${nodes.length > MAX_NODES && !this.allNodes ? html`<p class="pager"><button type="button" @click=${() => { this.allNodes = true; this.app.draw(); }}>Show all
				${number(nodes.length)} nodes</button></p>` : nothing}
			${endedNodes.length > 0 ? html`<h3 class="ended-title">Recently ended</h3><ul class="ended">${endedNodes.map((node) => html`<li>
				${foreign(node.node)} <span class="muted">${node.back ? "lost contact" : "ended"} ${ago(node.endedAt)}, at ${at(node.endedAt)}</span>
				${node.back ? badge("came back", "warn", "It was out of contact for longer than its lease, and runs again")
				: node.crashed ? badge("crashed", "danger", "It ended without leaving") : badge("left")}</li>`)}</ul>` : nothing}`;
	}

	isOtherVersion(node) {
		const count = (version) => this.overview.nodes.filter((each) => each.version === version).length;
		return this.overview.nodes.some((each) => each.version && count(each.version) > count(node.version));
	}

	fold(node) {
		const busy = node.threads.filter((thread) => thread.ids.length > 0).length;
		const toggle = (event) => {
			this.openNodes[event.target.open ? "add" : "delete"](node.session);
			this.app.draw();
		};
		return html`<details class="node" @toggle=${toggle}><summary><h3>${foreign(node.node)}</h3>
			<span class="muted">${plural(node.threadCount, "thread")}, ${number(busy)} busy · ${plural(node.shards.length, "queue")}</span></summary>
			${this.openNodes.has(node.session) ? this.node(node) : nothing}</details>`;
	}

	node(node) {
		const busy = node.threads.filter((thread) => thread.ids.length > 0).length;
		return html`<p class="muted">up ${lasting(node.startedAt)}, since ${at(node.startedAt)}${node.version ? html` · Lowkiq ${node.version}${this.isOtherVersion(node) ? badge("other version", "warn", "Most nodes run another version of Lowkiq") : nothing}` : nothing}
				· ${plural(node.threadCount, "thread")}, ${number(busy)} busy${node.stopping ? badge("stopping", "warn") : nothing}</p>
			${node.reportedAt ? html`<p class="muted small-text">Last report ${ago(node.reportedAt)}</p>` : nothing}
			${ownedShards(node)}
			${node.threads.length === 0 ? nothing : html`<ul class="threads">${node.threads.filter(isBusy).map(threadLine)}${idleLine(node)}</ul>`}`;
	}

	close() {
		this.chart?.close();
	}

	clockChanged() {
		this.chart?.redraw();
	}
}

function ranges(numbers) {
	const parts = [];
	for (let i = 0; i < numbers.length; i++) {
		let end = i;
		while (end + 1 < numbers.length && numbers[end + 1] === numbers[end] + 1) {
			end++;
		}
		parts.push(end > i ? `${numbers[i]}–${numbers[end]}` : String(numbers[i]));
		i = end;
	}
	return parts.join(", ");
}

// Long lists of queues and of shards are folded
function ownedShards(node) {
	const line = (owned) => {
		const numbers = ranges(owned.shards);
		const count = plural(owned.shards.length, "shard");
		return html`<li>${link(queueLink(owned.queue), foreign(owned.queue))} ${numbers.length > MAX_RANGES
			? html`<details class="shard-numbers"><summary>${count}</summary><span class="muted">${numbers}</span></details>` : html`<span class="muted">${count}: ${numbers}</span>`}</li>`;
	};
	const lines = node.shards.map(line);
	if (lines.length === 0) {
		return html`<p class="muted owned">Owns no shards</p>`;
	}
	return lines.length <= MAX_OWNED ? html`<ul class="owned">${lines}</ul>`
		: html`<details class="owned"><summary>${plural(lines.length, "queue")}, ${plural(node.shards.reduce((sum, owned) => sum + owned.shards.length, 0), "shard")}</summary><ul>${lines}</ul></details>`;
}

const isBusy = (thread) => thread.ids.length > 0;

// Idle threads have nothing to say apart. A node with many does not report them
function idleLine(node) {
	const idle = Math.max(node.threadCount, node.threads.length) - node.threads.filter(isBusy).length;
	return idle === 0 ? nothing : html`<li class="idle"><span class="dot" aria-hidden="true"></span><span class="muted">${plural(idle, "idle thread")}</span></li>`;
}

function threadLine(thread) {
	const { queue, ids } = thread;
	const doing = html`${ids.slice(0, 3).map((id, i) => html`${i ? ", " : ""}${link(jobLink(queue, id), foreign(id))}`)}
			<span class="muted">${ids.length > 3 ? `and ${number(ids.length - 3)} more ` : ""}of</span> ${foreign(queue)}`;
	return html`<li class="busy"><span class="dot" aria-hidden="true"></span>
		<span class="thread-name">${foreign(thread.name)}</span> <span class="thread-doing">${doing}</span>
		${thread.since > 0 ? html`<span class="muted thread-since">for ${lasting(thread.since)}</span>` : nothing}</li>`;
}

function redisFacts(redis) {
	if (redis.problem) {
		return empty(redis.problem);
	}
	if (redis.servers.length === 0) {
		return empty("Redis provides no information about itself.");
	}
	return redis.servers.map((server) => html`${facts([
		server.name ? ["Server", foreign(server.name)] : null,
		["URL", foreign(redis.url || "unknown")], ["Version", foreign(server.version)],
		["Uptime", duration(server.uptime * 1000)], ["Clients", number(server.clients)],
		["Memory", memory(server)],
		["Peak", bytes(server.peak)], ["Eviction", foreign(server.evictionPolicy)]
	])}${server.canEvictJobs ? html`<p class="callout danger">Redis may evict jobs when its memory is full. Set maxmemory-policy to noeviction.</p>` : nothing}`);
}

// From 80 % on it is coloured
function memory(server) {
	if (!server.maxMemory) {
		return bytes(server.memory);
	}
	const share = server.memory / server.maxMemory;
	const text = `${bytes(server.memory)} of ${bytes(server.maxMemory)}`;
	return share > 0.8 && !server.canEvictJobs ? html`${text} ${badge(share >= 1 || server.refusesWrites ? "full" : `${Math.floor(share * 100)} %`, share >= 0.95 || server.refusesWrites ? "danger" : "warn")}` : text;
}
