// What a thread that runs a job is doing, read when someone asks for it.

import { get } from "./api.js";
import { clock } from "./format.js";
import { copyButton, foreignLines, html } from "./ui.js";

const key = ({ session, thread }) => `${session} ${thread}`;

export class StackView {
	constructor(draw) {
		this.draw = draw;
		this.shown = new Map();
	}

	// For a run in a list of running jobs
	button(performed) {
		const open = this.shown.has(key(performed));
		return html`<button type="button" class="small quiet" aria-expanded=${String(open)} @click=${() => this.toggle(performed)}>${open ? "Hide stack" : "Show stack"}</button>`;
	}

	async toggle(performed) {
		if (this.shown.delete(key(performed))) {
			this.draw();
			return;
		}
		this.shown.set(key(performed), { text: "Loading…" });
		this.draw();
		try {
			const { takenAt, frames } = await get("running/stack", { session: performed.session, thread: performed.thread });
			this.shown.set(key(performed), { text: frames.join("\n"), takenAt });
		}
		catch (error) {
			this.shown.set(key(performed), { text: error.message });
		}
		this.draw();
	}

	view(performed) {
		const shown = this.shown.get(key(performed));
		return shown && html`<div class="stack"><div class="block-head"><strong>Stack${shown.takenAt ? ` at ${clock(shown.takenAt)}` : ""}</strong>
			${copyButton(shown.text, "stack")}</div><pre tabindex="0" aria-label="Stack">${foreignLines(shown.text)}</pre></div>`;
	}
}
