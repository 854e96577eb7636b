// The schedules of all queues, or of one: when they come next, what has become of the last time, and what can be done about them.

import { change, curl, get, jobLink, mayAct, queueLink, queuePath } from "./api.js";
import { RESULTS, firstLine, when } from "./jobs.js";
import { ago, ask, at, attempt, badge, empty, foreign, html, link, nothing, table } from "./ui.js";

const NEVER = html`<span class="muted">–</span>`;

export class Schedules {
	// Of one queue, or of all without one
	constructor(app, queue) {
		Object.assign(this, { app, queue });
		this.columns = [
			{ key: "id", label: "Schedule", name: "id", cell: (row) => foreign(row.id) },
			queue ? null : { key: "queue", label: "Queue", cell: (row) => link(queueLink(row.queue, { view: "schedules" }), foreign(row.queue)) },
			{ key: "cron", label: "Expression", name: "cron", cell: (row) => (row.cron ? html`<code>${foreign(row.cron)}</code> <span class="muted relative">${foreign(row.zone)}</span>` : NEVER) },
			{ key: "next", label: "Next", name: "when", cell: (row) => (row.paused ? badge("paused", "warn") : row.next ? when({ performAt: row.next }) : NEVER) },
			{ key: "last", label: "Last", name: "when", cell: (row) => (row.last ? html`${at(row.last)} <span class="muted relative">${ago(row.last)}</span>` : NEVER) },
			{ key: "result", label: "Result", name: "result", cell: (row) => this.result(row) },
			{ key: "actions", label: "Actions", name: "act", cell: (row) => this.buttons(row) }
		].filter(Boolean);
	}

	async refresh() {
		const schedules = await get("schedules", { queue: this.queue });
		this.app.heard(schedules.now);
		this.rows = schedules.schedules.map((schedule) => ({ ...schedule, key: `${schedule.queue} ${schedule.id}` }));
	}

	// Of the last job, with the way to it, and why there is no next one
	result(row) {
		const [label, kind] = RESULTS[row.lastResult] ?? [row.lastResult, ""];
		const result = row.lastResult === "none" ? NEVER : row.lastResult === "done" ? label : link(jobLink(row.queue, row.id), badge(label, kind), `${label}: job ${row.id} of ${row.queue}`);
		const text = row.problem ?? row.error;
		return html`${result}${text ? html`<p class="${row.problem ? "problem-text" : "muted"} small-text">${foreign(firstLine(text))}</p>` : nothing}`;
	}

	buttons(row) {
		const act = (action, done) => attempt(this.app, () => change("POST", queuePath(row.queue, "schedules"), { action, ids: [row.id] }), done);
		const asCurl = (action) => () => curl("POST", queuePath(row.queue, "schedules"), { action, ids: [row.id] });
		const run = async () => {
			if (await ask("Run this schedule now?", html`A job of schedule ${foreign(row.id)} is enqueued into queue ${foreign(row.queue)} for this moment. The times of the schedule stay as they are.`, "Run now")) {
				await act("run", "A job of the schedule was enqueued.");
			}
		};
		return html`<div class="buttons"><button type="button" data-action="run-schedule" .lowkiqCurl=${asCurl("run")} aria-label="Run now: ${row.id} of ${row.queue}" @click=${run}>Run now</button>
			${row.paused ? html`<button type="button" class="primary" data-action="resume-schedule" .lowkiqCurl=${asCurl("resume")} aria-label="Resume: ${row.id} of ${row.queue}" @click=${() => act("resume", "The schedule was resumed.")}>Resume</button>`
			: html`<button type="button" data-action="pause-schedule" .lowkiqCurl=${asCurl("pause")} aria-label="Pause: ${row.id} of ${row.queue}" @click=${() => act("pause", "The schedule was paused.")}>Pause</button>`}</div>`;
	}

	view() {
		const columns = this.columns.filter((column) => column.key !== "actions" || mayAct());
		return this.rows ? table({ caption: "Schedules", name: "schedules", columns, rows: this.rows,
			none: this.queue ? "This queue has no schedules." : "There are no schedules." }) : empty("Loading…");
	}
}

export class Page {
	constructor(app) {
		this.title = "Schedules";
		this.crumbs = [];
		this.schedules = new Schedules(app);
	}

	refresh() {
		return this.schedules.refresh();
	}

	view() {
		return html`<h1 tabindex="-1">Schedules</h1>
			<div class="card"><p class="muted">When recurring jobs are enqueued. The id of a schedule is also that of its jobs.</p>${this.schedules.view()}</div>`;
	}
}
