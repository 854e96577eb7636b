// Asks before what can't be undone, shows how far a long action is, and says what it did.

import { change, get, queuePath } from "./api.js";
import { h, replace, setText, toast } from "./dom.js";
import { number } from "./format.js";

const QUESTIONS = {
	"perform-all-now": ["Perform all jobs now?", "Jobs that wait for their time or their retry become due at once. Their planned times are lost.", "Perform all now"],
	"kill-all-failed": ["Move all failed jobs to the morgue?", "Jobs that wait for a retry go to the morgue with all their payloads. They are not performed unless someone enqueues them again.", "Kill all failed"],
	"delete-all-failed": ["Delete all failed jobs?", "Jobs that wait for a retry are deleted with all their payloads. This can't be undone.", "Delete all failed"],
	"re-enqueue-all-dead": ["Enqueue all dead jobs again?", "All jobs of the morgue are merged into the queue and due at once, as if they had never failed.", "Enqueue all again"],
	"delete-all-dead": ["Delete all dead jobs?", "All jobs of the morgue are deleted with all their payloads. This can't be undone.", "Delete all dead"],
	"release-all": ["Release all jobs on hold?", "Jobs on hold become due at once with all payloads that have gathered behind them, as if they had never failed.", "Release all"],
	"kill": ["Move to the morgue?", "The job goes to the morgue with all its queued payloads. It is not performed unless someone enqueues it again.", "Bury"],
	"delete": ["Delete from the queue?", "The job is deleted with all its queued payloads. This can't be undone.", "Delete"],
	"delete-dead": ["Delete from the morgue?", "The job is deleted with all its dead payloads. This can't be undone.", "Delete"]
};

export function actionButton(queue, action, label, { ids, kind, after, name } = {}) {
	const button = h("button", { type: "button", class: kind, "data-action": action, "aria-label": name }, label);
	button.addEventListener("click", () => {
		const chosen = typeof ids === "function" ? ids() : ids;
		if (ids && chosen.length === 0) {
			toast("No job is selected.");
			return;
		}
		run(queue, action, chosen, after).catch((error) => toast(error.message, "error"));
	});
	return button;
}

async function run(queue, action, ids, after) {
	const question = QUESTIONS[action];
	if (!question) {
		const status = await start(queue, action, ids);
		if (status.state !== "RUNNING") {
			toast(status.message, status.state === "FAILED" ? "error" : "info");
			await after?.();
			return;
		}
		await new ActionDialog(queue, action, ids, status).show();
	}
	else {
		const acted = await new ActionDialog(queue, action, ids).show();
		if (!acted) {
			return;
		}
	}
	await after?.();
}

function start(queue, action, ids) {
	return change("POST", queuePath(queue, "actions"), ids ? { action, ids } : { action });
}

class ActionDialog {
	constructor(queue, action, ids, running) {
		this.queue = queue;
		this.action = action;
		this.ids = ids;
		this.running = running;
		this.acted = Boolean(running);
		const [title, text, label] = QUESTIONS[action] ?? [action, "", action];
		this.title = h("h2", { id: "dialog-title", tabindex: "-1" }, title);
		const count = ids ? ` ${number(ids.length)} ${ids.length === 1 ? "job is" : "jobs are"} selected.` : "";
		this.text = h("p", { id: "dialog-text" }, text + count);
		this.progress = h("progress", { "aria-label": "Progress", max: "1", value: "0" });
		this.progressText = h("p", { class: "muted", "aria-live": "polite" });
		this.progressBox = h("div", { class: "progress", hidden: true }, this.progress, this.progressText);
		this.cancelButton = h("button", { type: "button", "data-dialog": "cancel", onclick: () => this.dialog.close() }, "Cancel");
		this.goButton = h("button", {
			type: "button", class: action.startsWith("delete") || action.startsWith("kill") ? "danger" : "primary",
			"data-dialog": "go", onclick: () => this.go()
		}, label);
		this.buttons = h("div", { class: "dialog-buttons" }, this.cancelButton, this.goButton);
		this.dialog = h("dialog", { "aria-labelledby": "dialog-title", "aria-describedby": "dialog-text" },
			this.title, h("p", { class: "muted" }, `Queue ${queue}`), this.text, this.progressBox, this.buttons);
		this.dialog.addEventListener("close", () => {
			this.closed = true;
			this.dialog.remove();
			this.resolve(this.acted);
		});
	}

	show() {
		document.body.append(this.dialog);
		this.dialog.showModal();
		if (this.running) {
			this.follow(this.running).catch((error) => this.failed(error));
		}
		else {
			this.cancelButton.focus();
		}
		return new Promise((resolve) => { this.resolve = resolve; });
	}

	async go() {
		this.goButton.disabled = true;
		this.acted = true;
		try {
			await this.follow(await start(this.queue, this.action, this.ids));
		}
		catch (error) {
			this.failed(error);
		}
	}

	async follow(first) {
		let status = first;
		this.progressBox.hidden = false;
		const stop = h("button", { type: "button", "data-dialog": "stop" }, "Stop");
		stop.addEventListener("click", () => this.stop(stop, status.run));
		if (status.state === "RUNNING") {
			replace(this.buttons, stop, h("button", { type: "button", onclick: () => this.dialog.close() }, "Continue in the background"));
		}
		while (status.state === "RUNNING" && !this.closed) {
			this.shown(status);
			await new Promise((resolve) => setTimeout(resolve, 300));
			status = await get(`actions/${encodeURIComponent(status.run)}`);
		}
		if (this.closed) {
			return;
		}
		this.shown(status);
		this.finished(status.message, status.state === "FAILED");
	}

	async stop(button, run) {
		button.disabled = true;
		try {
			await change("DELETE", `actions/${encodeURIComponent(run)}`);
			setText(button, "Stopping…");
		}
		catch (error) {
			button.disabled = false;
			toast(error.message, "error");
		}
	}

	shown(status) {
		this.progress.max = Math.max(status.total, 1);
		this.progress.value = status.state === "DONE" ? this.progress.max : status.changed;
		setText(this.progressText, status.state === "RUNNING" ? `${number(status.changed)} of about ${number(status.total)} done` : "");
	}

	failed(error) {
		this.finished(error.message, true);
	}

	finished(message, isError) {
		this.text.hidden = true;
		this.progressBox.hidden = false;
		this.progress.hidden = isError;
		setText(this.progressText, message);
		this.progressText.className = isError ? "problem-text" : "done-text";
		const close = h("button", { type: "button", class: "primary", "data-dialog": "close", onclick: () => this.dialog.close() }, "Close");
		replace(this.buttons, close);
		close.focus();
	}
}
