// What the outbox of this application can't send, with what can be done about it.

import { change, curl, get, mayAct, queueLink } from "./api.js";
import { number, plural } from "./format.js";
import { ask, at, attempt, empty, foreign, html, link, nothing, table, timeRange, toast } from "./ui.js";

// As many are counted
const MAX_COUNTED = 10_000;

const WAITING = [
	{ key: "part", label: "What waits", cell: (row) => foreign(row.part) },
	{ key: "reason", label: "Why", cell: (row) => foreign(row.reason) }
];

export class Page {
	constructor(app) {
		this.app = app;
		this.title = "Outbox";
		this.crumbs = [];
		this.columns = [
			{ key: "id", label: "Id", name: "id", cell: (row) => foreign(row.id) },
			{ key: "queue", label: "Queue", cell: (row) => link(queueLink(row.queue), foreign(row.queue)) },
			{ key: "enqueuedAt", label: "Enqueued", cell: (row) => at(row.enqueuedAt) },
			{ key: "reason", label: "Why", cell: (row) => foreign(row.reason) },
			{ key: "actions", label: "Actions", cell: (row) => this.buttons(row) }
		];
	}

	async refresh() {
		this.outbox = await get("outbox");
		this.app.heard(this.outbox.now);
	}

	buttons(row) {
		return mayAct() ? html`<div class="buttons">
			<button type="button" data-action="send-unsent" .lowkiqCurl=${() => curl("POST", `outbox/${row.sequence}`)} aria-label="Send again: ${row.id}" @click=${() => attempt(this.app, () => change("POST", `outbox/${row.sequence}`), "The job is sent again.")}>Send again</button>
			<button type="button" class="danger-quiet" data-action="drop-unsent" .lowkiqCurl=${() => curl("DELETE", `outbox/${row.sequence}`)} aria-label="Drop: ${row.id}" @click=${() => this.drop(row)}>Drop</button></div>` : nothing;
	}

	async drop(row) {
		if (await ask("Drop the job?", html`The job of ${foreign(row.id)} in queue ${foreign(row.queue)} is deleted, and never runs.`, "Drop", "danger")) {
			await attempt(this.app, () => change("DELETE", `outbox/${row.sequence}`), "The job was dropped.");
		}
	}

	view() {
		const { outbox } = this;
		return html`<h1 tabindex="-1">Outbox</h1>
			<p class="muted intro">The outbox of the application that answers. Those of other applications, such as producers without a server, can't be seen here: look at their own health, logs and dashboards.</p>
			${outbox?.problem ? html`<p class="callout danger">Nothing can be sent: ${foreign(outbox.problem)}</p>` : nothing}
			<section class="card" aria-labelledby="aside-title"><div class="card-head"><h2 id="aside-title">Put aside</h2>
				${outbox ? html`<span class="muted">${number(outbox.aside)}</span>` : nothing}</div>
				<p class="muted">These jobs can't be sent as they are. Later ones of their ids wait for them.</p>
				${outbox ? table({ caption: "Jobs put aside", name: "aside", columns: this.columns, rows: outbox.jobs.map((job) => ({ ...job, key: job.sequence })),
					none: "No job was put aside." }) : empty("Loading…")}
				${outbox && outbox.aside > outbox.jobs.length ? html`<p class="muted">The first ${plural(outbox.jobs.length, "job")} are shown.</p>` : nothing}</section>
			<section class="card" aria-labelledby="waiting-title"><div class="card-head"><h2 id="waiting-title">Waiting</h2></div>
				<p class="muted">What this application can't send at present, while all else is sent. It tries again by itself.</p>
				${outbox ? table({ caption: "What waits", name: "waiting", columns: WAITING, rows: outbox.waiting.map((part) => ({ ...part, key: part.part })),
					none: "Nothing waits." }) : empty("Loading…")}
				${outbox?.waitingJobs > 0 ? html`<p>${plural(outbox.waitingJobs, "job")}${outbox.waitingJobs >= MAX_COUNTED ? " or more" : ""} since ${at(outbox.waitingSince)}.</p>` : nothing}</section>
			${outbox ? html`<section class="card kept" aria-labelledby="kept-title"><div class="card-head"><h2 id="kept-title">Kept</h2></div>
				${outbox.kept ? this.kept(outbox.kept) : html`<p class="muted">This application has no outbox that keeps what it has sent (<code>lowkiq.outbox.keep-sent</code>). Nothing can be sent again from here.</p>`}</section>` : nothing}`;
	}

	kept(kept) {
		const more = kept.rows >= MAX_COUNTED ? " or more" : "";
		return html`<p class="muted">Jobs that were sent, in case Redis forgets them.</p>
			<p>${kept.rows > 0 ? html`${plural(kept.rows, "job")}${more} since ${at(kept.since)}.` : "Nothing is kept."}
				${kept.resent > 0 ? html`Sent again, because Redis had forgotten them: ${plural(kept.resent, "job")}, the last at ${at(kept.resentAt)}.` : "Redis has forgotten none."}</p>
			${mayAct() ? timeRange("Sent", { from: null, until: null }, (times) => this.resend(times), "Send again…") : nothing}`;
	}

	async resend({ from, until }) {
		if (from === null) {
			toast("Choose the time from which on.", "error");
		}
		else if (await ask("Send kept jobs again?", html`What was sent from ${at(from)} ${until ? html`until ${at(until)}` : "on"} is enqueued again, and runs again if it has run.
				${until ? "An id with later jobs ends with an older one." : nothing}`, "Send again")) {
			await attempt(this.app, () => change("POST", `outbox?from=${from}${until ? `&until=${until}` : ""}`), "The kept jobs of that time are sent again.");
		}
	}
}
