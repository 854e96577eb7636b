// Asks before what can't be undone, shows how far a long action is, and says what it did.

import { change, get, queuePath } from "./api.js";
import { number, plural } from "./format.js";
import { foreign, html, nothing, render, toast } from "./ui.js";

// Title, text, the button's label
const QUESTIONS = {
	"perform-all-now": ["Perform all jobs now?", "Jobs that wait for their time or their retry become due at once. Their planned times are lost.", "Perform all now"],
	"kill-all-failed": ["Move all failed jobs to the morgue?", "Jobs that wait for a retry go to the morgue with all their payloads. They are not performed unless someone enqueues them again.", "Kill all failed"],
	"delete-all-failed": ["Delete all failed jobs?", "Jobs that wait for a retry are deleted with all their payloads. This can't be undone.", "Delete all failed"],
	"re-enqueue-all-dead": ["Enqueue all dead jobs again?", "All jobs in the morgue are merged into the queue and become due at once, as if they had never failed.", "Enqueue all again"],
	"delete-all-dead": ["Delete all dead jobs?", "All jobs in the morgue are deleted with all their payloads. This can't be undone.", "Delete all dead"],
	"release-all": ["Release all jobs on hold?", "Jobs on hold become due at once with all payloads that have gathered behind them, as if they had never failed.", "Release all"],
	"kill": ["Move to the morgue?", "The jobs go to the morgue with all their queued payloads. They are not performed unless someone enqueues them again.", "Kill"],
	"delete": ["Delete from the queue?", "The jobs are deleted with all their queued payloads. This can't be undone.", "Delete"],
	"delete-dead": ["Delete from the morgue?", "The jobs are deleted with all their dead payloads. This can't be undone.", "Delete"],
	"erase": ["Erase this id?", "Everything about the id is erased: queued, held and dead payloads, and errors. A running perform continues; if it fails, it is not retried. This can't be undone.", "Erase"],
	"remove-queue": ["Remove this queue?", "The queue is removed with all its jobs, dead ones included. No running node may serve it. This can't be undone.", "Remove queue"]
};

// What matching jobs ask in addition to the above
const MATCHING = {
	"perform-now": ["Perform the matching jobs now?", "They become due at once. Their planned times are lost.", "Perform now"],
	"hold": ["Put the matching jobs on hold?", "They are not performed until someone releases them.", "Hold"],
	"release": ["Release the matching jobs?", "They become due at once with all payloads that have gathered behind them.", "Release"],
	"re-enqueue": ["Enqueue the matching jobs again?", "They are merged into the queue and due at once, as if they had never failed.", "Enqueue again"]
};

// Which list an action for a whole queue is about
const LISTS = {
	"perform-all-now": "delayed", "kill-all-failed": "retries", "delete-all-failed": "retries", "release-all": "held",
	"re-enqueue-all-dead": "dead", "delete-all-dead": "dead"
};

const DANGEROUS = /^(delete|kill|erase|remove)/;

// The target names the jobs: {ids}, {selection}, or nothing for a whole queue. What is to be done before the action is sent, and after
// it has been, with the status that is known of it then
export function actionButton(queue, action, label, { ids, selection, kind, before, after, name } = {}) {
	const start = () => {
		const chosen = typeof ids === "function" ? ids() : ids;
		if (ids && chosen.length === 0) {
			toast("No job is selected.");
			return;
		}
		run(queue, action, chosen ? { ids: chosen } : selection ? { selection } : {}, before, after).catch((error) => toast(error.message, "error"));
	};
	return html`<button type="button" class=${kind ?? (DANGEROUS.test(action) ? "danger-quiet" : "")} data-action=${action}
		aria-label=${name ?? nothing} @click=${start}>${label}</button>`;
}

async function run(queue, action, target, before, after) {
	const question = QUESTIONS[action] ?? (target.selection ? MATCHING[action] : null);
	if (question) {
		const dialog = new ActionDialog(queue, action, target, question, before);
		if (await dialog.ask()) {
			await after?.(dialog.status);
		}
		return;
	}
	const status = await start(queue, action, target);
	if (status.state === "RUNNING") {
		await new ActionDialog(queue, action, target, [action, "", action]).follow(status);
	}
	else {
		toast(status.message, status.state === "FAILED" ? "error" : "info");
	}
	await after?.(status);
}

const start = (queue, action, target) => change("POST", queuePath(queue, "actions"), { action, ...target });

class ActionDialog {
	constructor(queue, action, target, [title, text, label], before) {
		Object.assign(this, { queue, action, target, title, text, label, before });
		this.affected = target.ids ? `${plural(target.ids.length, "job")} selected.` : "";
		this.dialog = document.createElement("dialog");
		this.dialog.setAttribute("aria-labelledby", "dialog-title");
		this.dialog.setAttribute("aria-describedby", "dialog-text");
		// While the request is under way, nobody knows what to cancel
		this.dialog.addEventListener("cancel", (event) => {
			if (this.sending) {
				event.preventDefault();
			}
		});
		this.dialog.addEventListener("close", () => {
			this.closed = true;
			this.dialog.remove();
			this.resolve(Boolean(this.status || this.problem));
		});
	}

	open() {
		this.draw();
		document.body.append(this.dialog);
		this.dialog.showModal();
		return new Promise((resolve) => { this.resolve = resolve; });
	}

	// Resolves with whether anything was begun
	ask() {
		const end = this.open();
		this.dialog.querySelector("[data-dialog=cancel]").focus();
		this.count();
		return end;
	}

	follow(status) {
		const end = this.open();
		this.watch(status).catch((error) => this.failed(error));
		return end;
	}

	async count() {
		const list = LISTS[this.action];
		if (this.target.ids || !(list || this.target.selection)) {
			return;
		}
		this.affected = "Counting the jobs…";
		this.draw();
		try {
			const { count, complete } = await get(queuePath(this.queue, "count"), this.target.selection ?? { state: list });
			this.affected = `${complete ? "" : "At least "}${plural(count, "job")} ${count === 1 ? "is" : "are"} affected.`;
		}
		catch (error) {
			this.affected = `The jobs can't be counted: ${error.message}`;
		}
		this.draw();
	}

	async go() {
		this.sending = true;
		this.draw();
		try {
			await this.before?.();
			const status = await start(this.queue, this.action, this.target);
			this.sending = false;
			await this.watch(status);
		}
		catch (error) {
			this.sending = false;
			this.failed(error);
		}
	}

	async watch(first) {
		this.status = first;
		while (this.status.state === "RUNNING" && !this.closed) {
			this.draw();
			await new Promise((resolve) => setTimeout(resolve, 300));
			this.status = await get(`actions/${encodeURIComponent(this.status.run)}`);
		}
		this.draw();
	}

	async stop() {
		this.stopping = true;
		this.draw();
		try {
			await change("DELETE", `actions/${encodeURIComponent(this.status.run)}`);
		}
		catch (error) {
			this.stopping = false;
			toast(error.message, "error");
		}
	}

	failed(error) {
		this.problem = error.message;
		this.draw();
	}

	draw() {
		if (this.closed) {
			return;
		}
		render(html`<h2 id="dialog-title" tabindex="-1">${this.title}</h2><p class="muted">Queue ${foreign(this.queue)}</p>
			${this.status || this.problem ? html`<div class="progress">${this.progress()}</div>`
			: html`<p id="dialog-text">${this.text} <strong id="affected">${this.affected}</strong></p>`}
			<div class="dialog-buttons">${this.buttons()}</div>`, this.dialog);
		if (this.ended() && !this.dialog.querySelector("[data-dialog=close]:focus")) {
			this.dialog.querySelector("[data-dialog=close]").focus();
		}
	}

	ended() {
		return Boolean(this.problem) || this.status && this.status.state !== "RUNNING";
	}

	progress() {
		const { state, changed, total, message } = this.status ?? {};
		const failed = Boolean(this.problem) || state === "FAILED";
		const max = Math.max(total ?? 1, 1);
		return html`${failed ? nothing : html`<progress aria-label="Progress" max=${max} value=${state === "DONE" ? max : changed}></progress>`}
			<p class=${failed ? "problem-text" : this.ended() ? "done-text" : "muted"} aria-live="polite">${this.problem ?? message
				?? `${number(changed)} of about ${number(total)} done`}</p>`;
	}

	buttons() {
		const close = () => this.dialog.close();
		if (this.ended()) {
			return html`<button type="button" class="primary" data-dialog="close" @click=${close}>Close</button>`;
		}
		if (this.status) {
			return html`<button type="button" data-dialog="stop" ?disabled=${this.stopping} @click=${() => this.stop()}>${this.stopping ? "Stopping…" : "Stop"}</button>
				<button type="button" @click=${close}>Continue in the background</button>`;
		}
		return html`<button type="button" data-dialog="cancel" ?disabled=${this.sending} @click=${close}>Cancel</button>
			<button type="button" class=${DANGEROUS.test(this.action) ? "danger" : "primary"} data-dialog="go" ?disabled=${this.sending}
				@click=${() => this.go()}>${this.sending ? "Sending…" : this.label}</button>`;
	}
}
