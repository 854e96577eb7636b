// All queues, the nodes, and Redis.

import { get } from "./api.js";
import { HistoryChart } from "./chart.js";
import { LiveTable, foreign, h, replace, setText, timeTag } from "./dom.js";
import { bytes, duration, number, plural, short, shortDuration, time } from "./format.js";
import { jobLink, link, queueLink } from "./links.js";

export const TOTALS = [
	["lag", "Lag", (lag) => (lag ? shortDuration(lag) : "0"), "How long the oldest due job has waited"],
	["busy", "Busy", short, "Jobs being performed"],
	["enqueued", "Enqueued", short, "Waiting jobs"],
	["fresh", "Fresh", short, "Waiting jobs that never failed"],
	["retries", "Retries", short, "Waiting jobs that failed before"],
	["delayed", "Delayed", short, "Waiting jobs that are due later"],
	["dead", "Dead", short, "Jobs in the morgue"],
	["processed", "Processed", short, "Jobs completed since the queue was created"],
	["failed", "Failed", short, "Failures since the queue was created"]
];

export class TotalsStrip {
	constructor() {
		this.values = new Map();
		this.element = h("dl", { class: "totals" }, TOTALS.map(([key, label, , title]) => {
			const value = h("dd", { "data-total": key }, "–");
			this.values.set(key, value);
			return h("div", { class: `total ${key}`, title }, h("dt", {}, label), value);
		}));
	}

	update(totals) {
		for (const [key, , format] of TOTALS) {
			const value = this.values.get(key);
			setText(value, format(totals[key]));
			value.title = key === "lag" ? `${number(totals[key])} ms` : number(totals[key]);
			value.parentElement.classList.toggle("attention", (key === "dead" || key === "retries") && totals[key] > 0);
		}
	}
}

// A column of counts, of which some lead to their jobs
export function countColumn(key, label, name, href) {
	return {
		key, label, number: true, value: (item) => item.counts[key], text: (item) => number(item.counts[key]),
		render: (item) => (href && item.counts[key] > 0
			? link(href(item), number(item.counts[key]), `${label} of ${name(item)}: ${number(item.counts[key])}`)
			: h("span", { class: item.counts[key] === 0 ? "zero" : null }, number(item.counts[key])))
	};
}

// Where the jobs of a count are found
export const QUERIES = {
	enqueued: { state: "queued" }, fresh: { state: "queued" }, retries: { state: "retries" }, delayed: { state: "delayed" },
	busy: { state: "busy" }, dead: { state: "dead" }
};

const count = (key, label) => countColumn(key, label, (queue) => queue.name,
	QUERIES[key] && ((queue) => queueLink(queue.name, QUERIES[key])));

export class Overview {
	constructor() {
		this.title = "Overview";
		this.totals = new TotalsStrip();
		this.chart = new HistoryChart(null);
		this.filter = h("input", { type: "search", id: "queue-filter", placeholder: "Filter by name", autocomplete: "off" });
		this.filter.addEventListener("input", () => this.showQueues());
		this.queueCount = h("span", { class: "muted", id: "queue-count" });
		this.queues = new LiveTable({
			caption: "Queues", class: "queues", empty: "No queues yet. A queue appears when its worker starts or a job is enqueued.",
			sort: { key: "name", descending: false },
			columns: [
				{
					key: "name", label: "Queue", value: (queue) => queue.name,
					text: (queue) => queue.name,
					signature: (queue) => JSON.stringify([queue.name, queue.paused, queue.unowned]),
					render: (queue) => [link(queueLink(queue.name), foreign(queue.name)),
						queue.paused ? h("span", { class: "badge warn" }, "paused") : null,
						queue.unowned > 0 ? h("span", { class: "badge danger", title: "Their jobs are not being performed" },
							`${plural(queue.unowned, "shard")} without an owner`) : null]
				},
				{ key: "lag", label: "Lag", number: true, value: (q) => q.counts.lag, text: (q) => (q.counts.lag ? duration(q.counts.lag) : "0") },
				count("enqueued", "Enqueued"), count("fresh", "Fresh"), count("retries", "Retries"), count("delayed", "Delayed"),
				count("busy", "Busy"),
				count("dead", "Dead"), count("processed", "Processed"), count("failed", "Failed"),
				{ key: "shards", label: "Shards", number: true, value: (q) => q.shards, text: (q) => number(q.shards) }
			]
		});
		this.nodes = h("div", { class: "nodes" });
		this.redis = h("div", { class: "redis" });
		this.element = h("div", {},
			h("h1", { tabindex: "-1" }, "Overview"),
			this.totals.element,
			this.chart.element,
			h("section", { class: "card", "aria-labelledby": "queues-title" },
				h("div", { class: "card-head" }, h("h2", { id: "queues-title" }, "Queues"), this.queueCount,
					h("label", { class: "filter" }, h("span", { class: "hidden" }, "Filter queues by name"), this.filter)),
				this.queues.element),
			h("section", { class: "card", "aria-labelledby": "nodes-title" },
				h("div", { class: "card-head" }, h("h2", { id: "nodes-title" }, "Nodes"),
					h("span", { class: "muted small-text" }, "as last reported")), this.nodes),
			h("section", { class: "card", "aria-labelledby": "redis-title" },
				h("div", { class: "card-head" }, h("h2", { id: "redis-title" }, "Redis")), this.redis));
	}

	crumbs() {
		return [];
	}

	async refresh() {
		const overview = await get("overview");
		this.now = overview.now;
		this.items = overview.queues.map((queue) => ({ ...queue, key: queue.name }));
		this.totals.update(overview.totals);
		this.showQueues();
		this.showNodes(overview);
		await this.chart.refresh().catch(() => { /* The totals are worth showing without it */ });
		await this.showRedis();
	}

	showQueues() {
		const wanted = this.filter.value.trim().toLowerCase();
		const shown = (this.items ?? []).filter((queue) => queue.name.toLowerCase().includes(wanted));
		setText(this.queueCount, wanted ? `${number(shown.length)} of ${number(this.items.length)}` : number((this.items ?? []).length));
		setText(this.queues.none, wanted && this.items.length ? "No matching queues."
			: "No queues yet. A queue appears when its worker starts or a job is enqueued.");
		this.queues.update(shown);
	}

	showNodes(overview) {
		const signature = JSON.stringify(overview.nodes) + Math.floor(overview.now / 2000);
		if (this.nodes.contains(document.activeElement) || signature === this.nodesShown) {
			return;
		}
		this.nodesShown = signature;
		if (overview.nodes.length === 0) {
			replace(this.nodes, h("p", { class: "empty" }, "No node is running: nothing is being performed."));
			return;
		}
		replace(this.nodes, overview.nodes.map((node) => nodeCard(node, overview.now)));
	}

	async showRedis() {
		if (this.redisAt && Date.now() - this.redisAt < 5000) {
			return;
		}
		this.redisAt = Date.now();
		try {
			const facts = await get("redis");
			replace(this.redis, redisFacts(facts));
		}
		catch (error) {
			replace(this.redis, h("p", { class: "empty" }, error.message));
		}
	}

	close() {
		this.chart.close();
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

function nodeCard(node, now) {
	const busy = node.threads.filter((thread) => thread.ids.length > 0).length;
	return h("article", { class: "node" },
		h("h3", {}, foreign(node.node)),
		h("p", { class: "muted" }, "up since ", timeTag(node.startedAt, time(node.startedAt)),
			` · ${plural(node.threadCount, "thread")}, ${number(busy)} busy`),
		h("ul", { class: "owned" }, node.shards.length === 0 ? h("li", { class: "muted" }, "owns no shards")
			: node.shards.map((owned) => h("li", {}, link(queueLink(owned.queue), foreign(owned.queue)),
				h("span", { class: "muted" }, ` shards ${ranges(owned.shards)}`)))),
		node.threads.length === 0 ? null : h("ul", { class: "threads" }, node.threads.map((thread) => threadLine(thread, now))));
}

function threadLine(thread, now) {
	const queue = thread.queue;
	const doing = thread.ids.length === 0 ? h("span", { class: "muted" }, "idle")
		: [h("span", {}, thread.ids.slice(0, 3).map((id, i) => [i ? ", " : "", link(jobLink(queue, id), foreign(id))])),
			thread.ids.length > 3 ? h("span", { class: "muted" }, ` and ${number(thread.ids.length - 3)} more`) : null,
			h("span", { class: "muted" }, " of "), foreign(queue)];
	return h("li", { class: thread.ids.length ? "busy" : "idle" }, h("span", { class: "dot", "aria-hidden": "true" }),
		h("span", { class: "thread-name" }, foreign(thread.name)), h("span", { class: "thread-doing" }, doing),
		thread.since > 0 ? h("span", { class: "muted thread-since" }, `for ${duration(now - thread.since)}`) : null);
}

function redisFacts(facts) {
	const servers = facts.servers.map((server) => {
		const rows = [
			["URL", facts.url || "unknown"], ["Version", server.version],
			["Uptime", duration(server.uptime * 1000)], ["Clients", number(server.clients)],
			["Memory", bytes(server.memory) + (server.maxMemory ? ` of ${bytes(server.maxMemory)}` : "")],
			["Peak", bytes(server.peak)], ["Eviction", server.evictionPolicy]
		];
		if (server.name) {
			rows.unshift(["Server", server.name]);
		}
		return [
			h("dl", { class: "facts" }, rows.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, foreign(value))))),
			server.canEvictJobs ? h("p", { class: "callout danger" },
				"Redis may evict jobs when its memory is full. Set maxmemory-policy to noeviction.") : null
		];
	});
	return servers.length ? servers : h("p", { class: "empty" }, "Redis provides no information about itself.");
}
