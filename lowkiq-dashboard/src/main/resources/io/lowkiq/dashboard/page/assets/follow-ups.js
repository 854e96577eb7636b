// The follow-up jobs that have not reached their queue, with what can be done about them.

import { change, curl, get, mayAct, queueLink } from "./api.js";
import { number, plural } from "./format.js";
import { ask, attempt, badge, empty, foreign, html, link, nothing, openDialog, table } from "./ui.js";

const count = (row) => `${row.complete ? "" : "≥ "}${number(row.waiting)}`;

const queues = (names) => names.map((name, i) => html`${i ? ", " : ""}${link(queueLink(name), foreign(name))}`);

export class Page {
	constructor(app) {
		this.app = app;
		this.title = "Follow-ups";
		this.crumbs = [];
		this.columns = [
			{ key: "queue", label: "For queue", name: "id", cell: (row) => (row.recorded ? link(queueLink(row.queue), foreign(row.queue)) : foreign(row.queue)) },
			{ key: "waiting", label: "Waiting", number: true, cell: count },
			{ key: "from", label: "After jobs of", cell: (row) => queues(row.from) },
			{ key: "state", label: "State", cell: (row) => (row.recorded ? badge("on the way") : badge("no such queue", "danger", "No application has declared or served it")) },
			{ key: "actions", label: "Actions", cell: (row) => this.buttons(row) }
		];
	}

	async refresh() {
		const answer = await get("follow-ups");
		this.app.heard(answer.now);
		this.complete = answer.complete;
		this.rows = answer.queues.map((queue) => ({ ...queue, complete: answer.complete, key: queue.queue }));
	}

	buttons(row) {
		return mayAct() ? html`<div class="buttons">
			<button type="button" data-action="redirect-follow-ups" .lowkiqCurl=${() => curl("POST", `${this.path(row)}?to=QUEUE`)} aria-label="Redirect: ${row.queue}" @click=${() => this.redirect(row)}>Redirect</button>
			<button type="button" class="danger-quiet" data-action="drop-follow-ups" .lowkiqCurl=${() => curl("DELETE", this.path(row))} aria-label="Drop: ${row.queue}" @click=${() => this.drop(row)}>Drop</button></div>` : nothing;
	}

	path(row) {
		return `follow-ups/${encodeURIComponent(row.queue)}`;
	}

	async drop(row) {
		if (await ask("Drop what waits for this queue?", html`${count(row)} ${row.waiting === 1 ? "payload" : "payloads"} for queue ${foreign(row.queue)} ${row.waiting === 1 ? "is" : "are"} deleted, and never ${row.waiting === 1 ? "runs" : "run"}.`, "Drop", "danger")) {
			await attempt(this.app, () => change("DELETE", this.path(row)), "The follow-ups were dropped.");
		}
	}

	// The other queue is asked for by its name, because its worker must be able to read the payloads
	async redirect(row) {
		let name = "";
		const answer = await openDialog((close) => html`<h2 id="dialog-title">Redirect what waits for this queue?</h2>
			<p>${plural(row.waiting, "payload")} for queue ${foreign(row.queue)} ${row.waiting === 1 ? "is" : "are"} enqueued into another queue, with the same ids and in the same order. Its worker must be able to read them.</p>
			<label class="confirm" for="redirect-to">Other queue</label>
			<input id="redirect-to" autocomplete="off" spellcheck="false" @input=${(event) => { name = event.target.value; }}>
			<div class="dialog-buttons"><button type="button" data-dialog="cancel" @click=${() => close("")}>Cancel</button>
				<button type="button" class="primary" data-dialog="go" @click=${() => close("go")}>Redirect</button></div>`);
		if (answer === "go" && name !== "") {
			await attempt(this.app, () => change("POST", `${this.path(row)}?to=${encodeURIComponent(name)}`), "The follow-ups were redirected.");
		}
	}

	view() {
		const columns = this.columns.filter((column) => column.key !== "actions" || mayAct());
		return html`<h1 tabindex="-1">Follow-ups</h1>
			<p class="muted intro">Follow-up jobs that have not reached their queue. Most get there within milliseconds; those for a queue that no application has declared or served wait until one does.</p>
			${this.rows && !this.complete ? html`<p class="muted intro">Only the first 1,000 of each shard are counted, so the numbers may be too low, and queues may be missing.</p>` : nothing}
			<section class="card" aria-label="Waiting follow-ups">${this.rows ? table({ caption: "Queues that follow-ups wait for", name: "follow-ups", columns, rows: this.rows,
				none: "Nothing waits." }) : empty("Loading…")}</section>`;
	}
}
