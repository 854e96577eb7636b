// The sources of jobs, such as consumers of Kafka topics, of the application that answers.

import { change, curl, get, mayAct, queueLink } from "./api.js";
import { number, plural } from "./format.js";
import { attempt, badge, empty, facts, foreign, html, link, nothing, table } from "./ui.js";

const STATES = { RUNNING: ["running", "ok"], PAUSED: ["paused", "warn"], STOPPED: ["stopped", "warn"], FAILED: ["stopped because of an error", "danger"] };

const PARTITIONS = [
	{ key: "topic", label: "Topic", cell: (row) => foreign(row.topic) },
	{ key: "partition", label: "Partition", number: true, cell: (row) => number(row.partition) },
	{ key: "lag", label: "Lag", number: true, cell: (row) => (row.lag === null ? html`<span class="muted">unknown</span>` : number(row.lag)) }
];

// Of the partitions whose lag is known
const lag = (source) => source.partitions.reduce((sum, partition) => sum + (partition.lag ?? 0), 0);

export class Page {
	constructor(app) {
		this.app = app;
		this.title = "Sources";
		this.crumbs = [];
	}

	async refresh() {
		const sources = await get("sources");
		this.app.heard(sources.now);
		this.sources = sources.sources;
	}

	buttons(source) {
		const act = (action, done) => attempt(this.app, () => change("POST", `sources/${encodeURIComponent(source.name)}`, { action }), done);
		const asCurl = (action) => () => curl("POST", `sources/${encodeURIComponent(source.name)}`, { action });
		return !mayAct() ? nothing : source.state === "RUNNING"
			? html`<button type="button" data-action="pause-source" .lowkiqCurl=${asCurl("pause")} aria-label="Pause: ${source.name}" @click=${() => act("pause", "The source was paused.")}>Pause</button>`
			: html`<button type="button" class="primary" data-action="resume-source" .lowkiqCurl=${asCurl("resume")} aria-label="Resume: ${source.name}" @click=${() => act("resume", "The source was resumed.")}>Resume</button>`;
	}

	source(source) {
		const unknown = source.partitions.some((partition) => partition.lag === null);
		return html`<section class="card source" aria-label=${source.name}>
			<div class="card-head"><h2>${foreign(source.name)}</h2>${badge(...STATES[source.state] ?? [source.state])}<div class="buttons">${this.buttons(source)}</div></div>
			${source.problem ? html`<p class="callout warn">${source.waiting ? `${plural(source.waiting, "record")} can't be enqueued now, and ${source.waiting === 1 ? "waits" : "wait"}` : "Nothing is read"}: ${foreign(source.problem)}</p>` : nothing}
			${facts([
				["Queue", link(queueLink(source.queue), foreign(source.queue))],
				["Consumer group", foreign(source.groupId)],
				["Topics", source.topics.map((topic, i) => html`${i ? ", " : ""}${foreign(topic)}`)],
				["Lag", html`<span class="source-lag">${unknown ? "≥ " : ""}${number(lag(source))}</span>`]
			])}
			${table({ caption: `Partitions of ${source.name}`, name: "partitions", columns: PARTITIONS, rows: source.partitions.map((partition) => ({ ...partition, key: `${partition.topic} ${partition.partition}` })),
				none: "No partitions are assigned to it here. Another instance may have them." })}</section>`;
	}

	view() {
		return html`<h1 tabindex="-1">Sources</h1>
			<p class="muted intro">The sources of the application that answers. Other instances have their own partitions; pausing one concerns this instance only, until it is restarted.</p>
			${!this.sources ? empty("Loading…") : this.sources.length === 0 ? empty("This application has no sources.") : this.sources.map((source) => this.source(source))}`;
	}
}
