// Asks before what can't be undone, shows how far a long action is, and says what it did.

import { change, curl, get, queuePath } from "./api.js";
import { number, plural } from "./format.js";
import { attempt, foreign, html, nothing, render, toast } from "./ui.js";

// Title, text, the button's label
const QUESTIONS = {
	"perform-all-now": ["Run all jobs now?", "Jobs that wait for their time or their retry become due at once. Their planned times are lost. Jobs on hold stay on hold.", "Run all now"],
	"kill-all-failed": ["Move all retrying jobs to Dead?", "Jobs that wait for a retry become dead, with all their payloads. They do not run unless someone retries them. Jobs on hold stay on hold.", "Move to Dead"],
	"delete-all-failed": ["Delete all retrying jobs?", "Jobs that wait for a retry are deleted with all their payloads. Jobs on hold stay on hold. This can't be undone.", "Delete all"],
	"re-enqueue-all-dead": ["Retry all dead jobs?", "All dead jobs are merged into the queue and become due at once, as if they had never failed.", "Retry all"],
	"delete-all-dead": ["Delete all dead jobs?", "All dead jobs are deleted with all their payloads. This can't be undone.", "Delete all dead"],
	"release-all": ["Release all jobs on hold?", "Jobs on hold become due at once with all payloads that have gathered behind them, as if they had never failed.", "Release all"],
	"kill": ["Move to Dead?", "The jobs become dead, with all their queued payloads. They do not run unless someone retries them.", "Move to Dead"],
	"delete": ["Delete from the queue?", "The jobs are deleted with all their queued payloads. This can't be undone.", "Delete"],
	"delete-dead": ["Delete dead jobs?", "The jobs are deleted with all their dead payloads. This can't be undone.", "Delete"],
	"erase": ["Erase this id?", "Everything about the id is erased: queued, held and dead payloads, errors, and rows of this application's outbox; rows of other applications may be left. A running job continues; if it fails, it is not retried. This can't be undone.", "Erase"],
	"erase-prefix": ["Erase all of these ids?", "Everything about the ids is erased in all queues: queued, held and dead payloads, errors, what is on its way, what is set for their groups, and rows of this application's outbox; rows of other applications may be left. Running jobs continue; if they fail, they are not retried. This can't be undone.", "Erase all"],
	"remove-queue": ["Remove this queue?", "The queue is removed with all its jobs, dead ones included. No running node may serve it. This can't be undone.", "Remove queue"]
};

// What matching jobs ask in addition to the above
const MATCHING = {
	"perform-now": ["Run the matching jobs now?", "They become due at once. Their planned times are lost.", "Run now"],
	"hold": ["Put the matching jobs on hold?", "They do not run until someone releases them.", "Hold"],
	"release": ["Release the matching jobs?", "They become due at once with all payloads that have gathered behind them.", "Release"],
	"re-enqueue": ["Retry the matching dead jobs?", "They are merged into the queue and due at once, as if they had never failed.", "Retry"]
};

// Which list an action for a whole queue is about
const LISTS = {
	"perform-all-now": "scheduled", "kill-all-failed": "retries", "delete-all-failed": "retries", "release-all": "held",
	"re-enqueue-all-dead": "dead", "delete-all-dead": "dead"
};

// What an action on chosen jobs says if it has changed none
const NOTHING = {
	"perform-now": "Nothing changed: none of them was waiting.", "release": "Nothing changed: none of them was on hold or marked to be held.",
	"hold": "Nothing changed: none of them was waiting or running.", "re-enqueue": "Nothing changed: none of them was dead."
};

// What the audit log and the notices call the actions
export const NAMES = {
	"perform-all-now": "Run all now", "release-all": "Release all", "kill-all-failed": "Move all retrying jobs to Dead", "delete-all-failed": "Delete all retrying jobs",
	"re-enqueue-all-dead": "Retry all dead jobs", "delete-all-dead": "Delete all dead jobs", "perform-now": "Run now", "release": "Release", "hold": "Hold",
	"kill": "Move to Dead", "delete": "Delete", "re-enqueue": "Retry", "delete-dead": "Delete dead", "pause": "Pause queue", "resume": "Resume queue", "erase": "Erase id", "find-prefix": "Count ids", "erase-prefix": "Erase ids",
	"repair": "Repair places", "remove-empty-queue": "Remove empty queue", "remove-queue": "Remove queue", "edit-held": "Edit payload on hold", "edit-dead": "Edit dead payload",
	"send-unsent": "Send again", "drop-unsent": "Drop", "resend-kept": "Send kept jobs again", "run-schedule": "Run schedule now", "pause-schedule": "Pause schedule", "resume-schedule": "Resume schedule",
	"pause-group": "Pause group", "resume-group": "Resume group", "set-group-concurrency": "Limit running jobs of group", "set-group-rate": "Limit starts of group", "set-group-weight": "Set weight of group", "reset-group": "Reset group", "limit-groups": "Limit groups", "restore-groups": "Set groups again", "pause-source": "Pause source", "resume-source": "Resume source", "seek-source": "Move source to an offset"
};

const DANGEROUS = /^(delete|kill|erase|remove)/;

// The target names the jobs: {ids}, {selection}, or nothing for a whole queue; a selection can be of several queues. What is to be done
// before the action is sent, and after it has been, with the status that is known of it then
export function actionButton(queue, action, label, { ids, selection, queues = [queue], kind, before, after, name, confirm, loss } = {}) {
	const target = () => (ids ? { ids: typeof ids === "function" ? ids() : ids } : selection ? { selection } : {});
	const start = () => {
		const chosen = target();
		if (chosen.ids?.length === 0) {
			toast("No job is selected.");
			return;
		}
		run(queues, action, chosen, { before, after, confirm, loss }).catch((error) => toast(error.message, "error"));
	};
	// Of several queues, a line for each
	const curls = () => queues.map((each) => curl("POST", queuePath(each, "actions"), { action, ...target() })).join("\n");
	return html`<button type="button" .lowkiqCurl=${curls} class=${kind ?? (DANGEROUS.test(action) ? "danger-quiet" : "")} data-action=${action}
		aria-label=${name ?? nothing} @click=${start}>${label}</button>`;
}

// Pauses or resumes one group
export function pauseButton(app, queue, group, paused, label = "") {
	const path = queuePath(queue, "groups");
	const action = paused ? "resume" : "pause";
	const name = paused ? "Resume" : "Pause";
	return html`<button type="button" class=${paused ? "primary" : ""} data-action="${action}-group" .lowkiqCurl=${() => curl("POST", path, { action, group })} aria-label="${name}${label}: ${group}"
		@click=${() => attempt(app, () => change("POST", path, { action, group }), `The group was ${action}d.`)}>${name}${label}</button>`;
}

// All ids that begin with a prefix, in all queues. It is counted first, and the prefix must be typed
export function erasePrefixButton(prefix, after) {
	const target = { prefix };
	return html`<button type="button" class="danger-quiet" data-action="erase-prefix" .lowkiqCurl=${() => curl("POST", "actions", { action: "erase-prefix", prefix })}
		@click=${() => run(["*"], "erase-prefix", target, { confirm: prefix, after }).catch((error) => toast(error.message, "error"))}>Erase all that begin with “${foreign(prefix)}”…</button>`;
}

async function run(queues, action, target, { before, after, confirm, loss }) {
	const question = QUESTIONS[action] ?? (target.selection ? MATCHING[action] : null);
	if (question) {
		const dialog = new ActionDialog(queues, action, target, question, { before, confirm, loss });
		if (await dialog.ask()) {
			await after?.(dialog.status);
		}
		return;
	}
	await before?.();
	const status = await start(queues[0], action, target);
	if (status.state === "RUNNING") {
		await new ActionDialog(queues, action, target, [NAMES[action] ?? action, "", action]).follow(status);
	}
	else {
		toast(status.changed === 0 && target.ids ? NOTHING[action] ?? status.message : status.message, status.state === "FAILED" ? "error" : "info");
	}
	await after?.(status);
}

const start = (queue, action, target) => change("POST", queue === "*" ? "actions" : queuePath(queue, "actions"), { action, ...target });

class ActionDialog {
	constructor(queues, action, target, [title, text, label], { before, confirm, loss } = {}) {
		Object.assign(this, { queues, action, target, title, text, label, before, confirm });
		// Of several queues, those that the action has gone through, and whether it is begun in no other one
		this.ended = [];
		this.through = queues.length === 1;
		this.affected = loss ?? (target.ids ? `${plural(target.ids.length, "job")} selected.` : "");
		this.dialog = document.createElement("dialog");
		this.dialog.setAttribute("aria-labelledby", "dialog-title");
		this.dialog.setAttribute("aria-describedby", "dialog-text");
		// While the request is under way, nobody knows what to cancel
		this.dialog.addEventListener("cancel", (event) => {
			if (this.sending || this.queues.length > 1 && this.status && !this.isOver()) {
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

	// What there is of a prefix is read by a run of its own
	async find() {
		this.affected = "Counting…";
		this.draw();
		try {
			let status = await start("*", "find-prefix", this.target);
			while (status.state === "RUNNING" && !this.closed) {
				await new Promise((resolve) => setTimeout(resolve, 300));
				status = await get(`actions/${encodeURIComponent(status.run)}`);
			}
			this.affected = status.message ?? "";
		}
		catch (error) {
			this.affected = `It can't be counted: ${error.message}`;
		}
		this.draw();
	}

	async count() {
		if (this.target.prefix) {
			await this.find();
			return;
		}
		const list = LISTS[this.action];
		if (this.target.ids || !(list || this.target.selection)) {
			return;
		}
		this.affected = "Counting the jobs…";
		this.draw();
		try {
			let total = 0;
			let after = null;
			let rest = [...this.queues];
			// The server counts for a limited time: the dialog counts on
			do {
				const { count, next } = await get(queuePath(rest[0], "count"), { ...(this.target.selection ?? { state: list }), after });
				total += count;
				after = next;
				rest = after ? rest : rest.slice(1);
				this.affected = `${plural(total, "job")}${this.scope()} ${rest.length > 0 ? "so far; still counting…" : total === 1 ? "is affected." : "are affected."}`;
				this.draw();
			} while (rest.length > 0 && !this.closed && !this.status && !this.sending);
			if (rest.length > 0) {
				this.affected = `At least ${plural(total, "job")}${this.scope()} are affected.`;
			}
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
			// One queue after another. Where it ends early, it is not begun in the next one
			for (const queue of this.queues) {
				this.status = await start(queue, this.action, this.target);
				this.sending = false;
				// Someone stopped it while it was being sent: the run before it had ended
				if (this.stopping && this.status.state === "RUNNING") {
					await this.stop();
				}
				await this.watch(this.status);
				this.ended.push(this.status);
				if (this.status.state !== "DONE" || this.stopping) {
					break;
				}
			}
			this.through = true;
			this.draw();
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

	scope() {
		return this.queues.length > 1 ? ` in ${plural(this.queues.length, "queue")}` : "";
	}

	async stop() {
		this.stopping = true;
		this.draw();
		try {
			await change("DELETE", `actions/${encodeURIComponent(this.status.run)}`);
		}
		catch (error) {
			// The next queues are left alone in any case
			this.stopping = this.queues.length > 1;
			toast(error.message, "error");
		}
	}

	failed(error) {
		this.problem = this.queues.length > 1 ? `${error.message} ${this.place()}` : error.message;
		this.draw();
	}

	// How far an action on several queues has come that is not continued
	place() {
		const done = this.ended.length;
		const later = done + 1 < this.queues.length ? "; it was not started in later ones" : "";
		return `${number(done)} of ${number(this.queues.length)} queues ${done === 1 ? "is" : "are"} done. The action may still be running in queue ${this.queues[done]}${later}.`;
	}

	draw() {
		if (this.closed) {
			return;
		}
		render(html`<h2 id="dialog-title" tabindex="-1">${this.title}</h2><p class="muted">${this.target.prefix ? html`Ids that begin with ${foreign(this.target.prefix)}, in all queues` : html`${this.queues.length === 1 ? "Queue" : "Queues"} ${this.queues.map((queue, place) => html`${place > 0 ? ", " : ""}${foreign(queue)}`)}`}</p>
			${this.status || this.problem ? html`<div class="progress">${this.progress()}</div>`
			: html`<p id="dialog-text">${this.text} <strong id="affected">${this.affected}</strong></p>
				${this.confirm ? html`<label class="confirm" for="confirm-name">Type <strong>${foreign(this.confirm)}</strong> to confirm</label>
					<input id="confirm-name" autocomplete="off" spellcheck="false" @input=${(event) => { this.typed = event.target.value; this.draw(); }}>` : nothing}`}
			<div class="dialog-buttons">${this.buttons()}</div>`, this.dialog);
		if (this.isOver() && !this.dialog.querySelector("[data-dialog=close]:focus")) {
			this.dialog.querySelector("[data-dialog=close]").focus();
		}
	}

	isOver() {
		return Boolean(this.problem) || this.status && this.status.state !== "RUNNING" && this.through;
	}

	progress() {
		const { state, changed, total, message } = this.status ?? {};
		const failed = Boolean(this.problem) || state === "FAILED";
		const max = Math.max(total ?? 1, 1);
		const place = Math.min(this.ended.length + 1, this.queues.length);
		return html`${failed ? nothing : html`<progress aria-label="Progress" max=${max} value=${state === "DONE" ? max : changed}></progress>`}
			${this.queues.length > 1 ? this.ended.map((each) => html`<p class=${each.state === "FAILED" ? "problem-text" : "muted"}>${each.message}</p>`) : nothing}
			<p class=${failed ? "problem-text" : this.isOver() ? "done-text" : "muted"} aria-live="polite">${this.problem ?? (this.queues.length > 1
				? this.isOver() ? `${plural(this.ended.reduce((sum, each) => sum + each.changed, 0), "job")} changed in ${number(this.ended.length)} of ${number(this.queues.length)} queues`
					: `Queue ${number(place)} of ${number(this.queues.length)}: ${number(changed)} of about ${number(total)} done`
				: message ?? `${number(changed)} of about ${number(total)} done`)}</p>`;
	}

	buttons() {
		const close = () => this.dialog.close();
		if (this.isOver()) {
			return html`<button type="button" class="primary" data-dialog="close" @click=${close}>Close</button>`;
		}
		if (this.status) {
			return html`<button type="button" data-dialog="stop" ?disabled=${this.stopping} @click=${() => this.stop()}>${this.stopping ? "Stopping…" : "Stop"}</button>
				${this.queues.length === 1 ? html`<button type="button" @click=${close}>Continue in the background</button>` : nothing}`;
		}
		return html`<button type="button" data-dialog="cancel" ?disabled=${this.sending} @click=${close}>Cancel</button>
			<button type="button" class=${DANGEROUS.test(this.action) ? "danger" : "primary"} data-dialog="go"
				?disabled=${this.sending || this.confirm && this.typed !== this.confirm}
				@click=${() => this.go()}>${this.sending ? "Sending…" : this.label}</button>`;
	}
}
