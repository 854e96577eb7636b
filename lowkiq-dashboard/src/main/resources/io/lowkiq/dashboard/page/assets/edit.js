// Edits the first payload of a job on hold, or of a dead one, if it is shown as text.

import { change, curl, get, queuePath } from "./api.js";
import { html, nothing, render, toast } from "./ui.js";

const EDITABLE = new Set(["JSON", "TEXT"]);

const NOTES = {
	queued: "The job stays on hold, and the payload keeps its score and its next steps. Release the job to have it run.",
	dead: "The job stays dead, and the payload keeps its score and its next steps. Retry the job to have it run."
};

// The whole payload, as it is now
const load = (queue, job) => get(queuePath(queue, "payload"), { id: job.id, state: job.state, place: 0 });

const path = (queue, job) => queuePath(queue, job.state === "dead" ? "dead-payload" : "held-payload");

export function editButton(queue, job, after) {
	if (!EDITABLE.has(job.payloads[0]?.kind)) {
		return nothing;
	}
	const edit = async (event) => {
		const button = event.currentTarget;
		button.disabled = true;
		try {
			new PayloadDialog(queue, job, await load(queue, job), after).show();
		}
		catch (error) {
			toast(error.message, "error");
		}
		finally {
			button.disabled = false;
		}
	};
	// Until somebody changes it, the new payload is the present one
	const asCurl = async () => {
		const { text } = await load(queue, job);
		return curl("POST", path(queue, job), { id: job.id, known: text, text });
	};
	return html`<button type="button" data-action="edit" .lowkiqCurl=${asCurl} @click=${edit}>Edit first payload</button>`;
}

class PayloadDialog {
	constructor(queue, job, payload, after) {
		Object.assign(this, { queue, job, payload, after, problem: "" });
		this.dialog = document.createElement("dialog");
		this.dialog.className = "wide";
		this.dialog.setAttribute("aria-labelledby", "dialog-title");
		this.dialog.addEventListener("close", () => this.dialog.remove());
	}

	show() {
		this.draw();
		this.area = this.dialog.querySelector("textarea");
		this.area.value = this.payload.text;
		// A text area has line breaks of its own
		this.unchanged = this.area.value;
		document.body.append(this.dialog);
		this.dialog.showModal();
		this.area.focus();
		this.area.setSelectionRange(0, 0);
	}

	draw() {
		const submit = (event) => {
			event.preventDefault();
			this.save();
		};
		render(html`<form method="dialog" @submit=${submit}>
			<h2 id="dialog-title">Edit the first payload</h2>
			<p id="edit-note" class="muted">${NOTES[this.job.state]}</p>
			<label for="payload-text">${this.payload.kind === "JSON" ? "Payload, JSON" : "Payload, text"}</label>
			<textarea id="payload-text" spellcheck="false" autocomplete="off" aria-describedby="edit-note edit-problem"></textarea>
			<p id="edit-problem" class="problem-text edit-problem" role="alert">${this.problem}</p>
			<div class="dialog-buttons"><button type="button" data-dialog="cancel" @click=${() => this.dialog.close()}>Cancel</button>
				<button type="submit" class="primary" data-dialog="save" ?disabled=${this.saving}>Save</button></div></form>`, this.dialog);
	}

	failed(message) {
		this.problem = message;
		this.draw();
		this.area.focus();
	}

	async save() {
		const text = this.area.value;
		this.problem = "";
		this.draw();
		if (text === this.unchanged) {
			this.failed("Nothing has been changed.");
			return;
		}
		if (this.payload.kind === "JSON") {
			try {
				JSON.parse(text);
			}
			catch (error) {
				this.failed(`This is not valid JSON: ${error.message}`);
				return;
			}
		}
		this.saving = true;
		this.draw();
		try {
			await change("POST", path(this.queue, this.job), { id: this.job.id, known: this.payload.text, text });
			this.dialog.close();
			toast("The first payload was saved.");
			await this.after();
		}
		catch (error) {
			this.failed(error.message);
		}
		finally {
			this.saving = false;
			this.draw();
		}
	}
}
