// All running jobs, the longest first.

import { get, jobLink, queueLink } from "./api.js";
import { number, plural } from "./format.js";
import { StackView } from "./stack.js";
import { badge, empty, foreign, html, lasting, link, nothing, table } from "./ui.js";

const LONG = 10 * 60 * 1000;

export class Page {
	constructor(app) {
		this.app = app;
		this.title = "Running";
		this.crumbs = [];
		this.stack = new StackView(() => app.draw());
		this.columns = [
			{ key: "ids", label: "Id", name: "id", cell: (row) => row.ids.map((id, i) => html`${i ? ", " : ""}${link(jobLink(row.queue, id), foreign(id))}`) },
			{ key: "queue", label: "Queue", cell: (row) => link(queueLink(row.queue), foreign(row.queue)) },
			{ key: "since", label: "Running for", number: true, cell: (row) => html`${lasting(row.since)}${row.long ? badge("long", "warn") : nothing}` },
			{ key: "node", label: "Node", cell: (row) => foreign(row.node) },
			{ key: "thread", label: "Thread", cell: (row) => foreign(row.thread) },
			{ key: "stack", label: "Stack", cell: (row) => (row.hasStack ? this.stack.button(row) : html`<span class="muted">after 10 s</span>`) }
		];
	}

	async refresh() {
		const running = await get("running");
		this.app.heard(running.now);
		this.running = { ...running, jobs: running.jobs.map((job) => ({ ...job, key: `${job.session} ${job.thread}`, long: running.now - job.since > LONG })) };
	}

	view() {
		const { running } = this;
		return html`<h1 tabindex="-1">Running jobs</h1>
			<div class="card">
				<p class="muted" id="running-note">${running ? `${number(running.busy)} of ${plural(running.threadCount, "thread")} busy, longest first.` : ""}</p>
				${running ? table({ caption: "Running jobs", name: "running", columns: this.columns, rows: running.jobs, none: "No job is running.",
					below: (row) => this.stack.view(row) }) : empty("Loading…")}
				${running?.more ? html`<p class="muted">The ${number(running.jobs.length)} longest are shown.</p>` : nothing}</div>`;
	}
}
