// Edits the first payload of a job on hold, if it is shown as text.

import { change, get, queuePath } from "./api.js";
import { h, setText, toast } from "./dom.js";

const EDITABLE = new Set(["JSON", "TEXT"]);

export function editButton(queue, job, after) {
	if (!EDITABLE.has(job.payloads[0]?.kind)) {
		return null;
	}
	const button = h("button", { type: "button", "data-action": "edit" }, "Edit first payload");
	button.addEventListener("click", async () => {
		button.disabled = true;
		try {
			// The whole payload, as it is now
			const payload = await get(queuePath(queue, "payload"), { id: job.id, state: "queued", place: 0 });
			new PayloadDialog(queue, job.id, payload, after).show();
		}
		catch (error) {
			toast(error.message, "error");
		}
		finally {
			button.disabled = false;
		}
	});
	return button;
}

class PayloadDialog {
	constructor(queue, id, payload, after) {
		this.queue = queue;
		this.id = id;
		this.payload = payload;
		this.after = after;
		this.area = h("textarea", { id: "payload-text", spellcheck: "false", autocomplete: "off", "aria-describedby": "edit-note edit-problem" });
		this.area.value = payload.text;
		// A text area has line breaks of its own
		this.unchanged = this.area.value;
		this.problem = h("p", { id: "edit-problem", class: "problem-text edit-problem", role: "alert" });
		this.saveButton = h("button", { type: "submit", class: "primary", "data-dialog": "save" }, "Save");
		this.form = h("form", { method: "dialog" },
			h("h2", { id: "dialog-title" }, "Edit the first payload"),
			h("p", { id: "edit-note", class: "muted" }, "The job stays on hold, and the payload keeps its score. Release the job to have it performed."),
			h("label", { for: "payload-text" }, payload.kind === "JSON" ? "Payload, JSON" : "Payload, text"), this.area, this.problem,
			h("div", { class: "dialog-buttons" },
				h("button", { type: "button", "data-dialog": "cancel", onclick: () => this.dialog.close() }, "Cancel"), this.saveButton));
		this.form.addEventListener("submit", (event) => {
			event.preventDefault();
			this.save();
		});
		this.dialog = h("dialog", { class: "wide", "aria-labelledby": "dialog-title" }, this.form);
		this.dialog.addEventListener("close", () => this.dialog.remove());
	}

	show() {
		document.body.append(this.dialog);
		this.dialog.showModal();
		this.area.focus();
		this.area.setSelectionRange(0, 0);
	}

	failed(message) {
		setText(this.problem, message);
		this.area.focus();
	}

	async save() {
		const text = this.area.value;
		setText(this.problem, "");
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
		this.saveButton.disabled = true;
		try {
			await change("POST", queuePath(this.queue, "held-payload"), { id: this.id, known: this.payload.text, text });
			this.dialog.close();
			toast("The first payload was saved.");
			await this.after();
		}
		catch (error) {
			this.failed(error.message);
		}
		finally {
			this.saveButton.disabled = false;
		}
	}
}
