// Who did what, when, and with which result.

import { NAMES } from "./actions.js";
import { get, jobLink, pageLink, queueLink } from "./api.js";
import { number } from "./format.js";
import { ago, at, badge, empty, foreign, html, link, nothing, table, timeRange, timesOf } from "./ui.js";

const RESULTS = { STOPPED: ["stopped", "warn"], FAILED: ["failed", "danger"] };

function what(entry) {
	return html`${NAMES[entry.action] ?? entry.action} ${entry.ids.map((id, i) => html`${i ? ", " : ""}${link(jobLink(entry.queue, id), foreign(id))}`)}
		${entry.moreIds > 0 ? html`<span class="muted">and ${number(entry.moreIds)} more</span>` : nothing}`;
}

const COLUMNS = [
	{ key: "at", label: "When", cell: (row) => html`${at(row.at)} <span class="muted relative">${ago(row.at)}</span>` },
	{ key: "user", label: "Who", cell: (row) => foreign(row.user) },
	{ key: "queue", label: "Queue", cell: (row) => (row.queue === "*" ? html`<span class="muted">all</span>` : link(queueLink(row.queue), foreign(row.queue))) },
	{ key: "action", label: "What", cell: what },
	{
		key: "result", label: "Result",
		cell: (row) => html`${row.result === "DONE" ? nothing : badge(...RESULTS[row.result] ?? [row.result])} ${foreign(row.message)}`
	}
];

export class Page {
	constructor(app, parameters) {
		this.app = app;
		this.times = timesOf(parameters);
		this.groups = parameters.get("groups");
		this.title = "Audit";
		this.crumbs = [];
	}

	async refresh() {
		const audit = await get("audit", { ...this.times, groups: this.groups });
		this.app.heard(audit.now);
		this.rows = audit.entries.map((entry, place) => ({ ...entry, key: `${entry.at} ${entry.user} ${entry.action} ${audit.entries.length - place}` }));
	}

	view() {
		return html`<h1 tabindex="-1">Audit log</h1>
			<div class="card"><p class="muted">Who changed jobs and queues, through the dashboard, Actuator or code. The last 1,000 are kept, and of groups as many.</p>
				<nav class="tabs" aria-label="Actions on"><a href=${pageLink("audit", this.times)} data-nav aria-current=${this.groups ? nothing : "page"}>Jobs and queues</a>
					<a href=${pageLink("audit", { ...this.times, groups: true })} data-nav aria-current=${this.groups ? "page" : nothing}>Groups</a></nav>
				<div class="filters">${timeRange("Time", this.times, (times) => this.app.go(pageLink("audit", { ...times, groups: this.groups })))}</div>
				${this.rows ? table({ caption: "Actions", name: "audit", columns: COLUMNS, rows: this.rows, none: this.times.from || this.times.until ? "No actions in this time." : "No actions have been taken yet." }) : empty("Loading…")}</div>`;
	}
}
