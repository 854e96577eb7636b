// Finds jobs of all queues by id, and failed ones by their error.

import { erasePrefixButton } from "./actions.js";
import { get, mayAct, pageLink } from "./api.js";
import { number, plural } from "./format.js";
import { STATES, firstLine, jobSummary, when } from "./jobs.js";
import { badge, empty, foreign, html, nothing } from "./ui.js";

const ENOUGH = 50;

export class Page {
	constructor(app, parameters) {
		this.app = app;
		this.title = "Search";
		this.crumbs = [];
		this.text = parameters.get("text") ?? "";
		this.where = parameters.get("in") === "errors" ? "errors" : "ids";
		this.hits = [];
		this.searched = 0;
		this.next = null;
		this.began = false;
	}

	// What was found stays as it was found; only the first call searches
	async refresh() {
		if (this.text !== "" && !this.began) {
			this.began = true;
			await this.search(ENOUGH);
		}
		else {
			this.app.heard((await get("overview")).now);
		}
	}

	async search(wanted) {
		const most = this.hits.length + wanted;
		this.searching = true;
		try {
			do {
				const page = await get("search", { text: this.text, in: this.where, after: this.next, limit: ENOUGH });
				this.app.heard(page.now);
				this.hits.push(...page.hits);
				this.searched += page.searched;
				this.answered = true;
				this.next = page.next;
				this.app.draw();
			} while (this.next && this.hits.length < most && this.searching && this.app.current === this);
		}
		finally {
			this.searching = false;
			this.app.draw();
		}
	}

	submit(event) {
		event.preventDefault();
		const { text, where } = Object.fromEntries(new FormData(event.target));
		this.app.go(pageLink("search", { text: text.trim(), in: where === "errors" ? "errors" : null }));
	}

	view() {
		return html`<h1 tabindex="-1">Search</h1>
			<section class="card" aria-label="Search">
				<form class="filter-form" role="search" aria-label="Search all queues" @submit=${(event) => this.submit(event)}>
					<label for="search-in">Find</label>
					<select id="search-in" name="where" @change=${(event) => (event.target.form.text.value.trim() === "" ? null : event.target.form.requestSubmit())}><option value="ids" ?selected=${this.where === "ids"}>ids that begin with</option>
						<option value="errors" ?selected=${this.where === "errors"}>errors that contain</option></select>
					<label class="hidden" for="search-text">Text</label>
					<input type="search" id="search-text" name="text" autocomplete="off" spellcheck="false" value=${this.text}>
					<button type="submit" class="primary">Search</button></form>
				${this.text === "" ? html`<p class="muted">All queues are searched. Errors are those of dead jobs and of jobs that wait for a retry.</p>` : this.results()}</section>`;
	}

	results() {
		if (!this.answered) {
			return html`<p class="muted" id="search-note" aria-live="polite">Searching…</p>`;
		}
		return html`<p class="muted" id="search-note" aria-live="polite">${this.searching ? "Searching… " : ""}${plural(this.hits.length, "job")} found,
				${number(this.searched)} looked at.
				${this.searching ? html`<button type="button" class="small quiet" @click=${() => { this.searching = false; }}>Stop</button>` : nothing}</p>
			${mayAct() && this.where === "ids" ? html`<div class="buttons">${erasePrefixButton(this.text, () => this.app.go(pageLink("search", { text: this.text })))}</div>` : nothing}
			${this.hits.length === 0 ? (this.searching ? nothing : empty(this.next ? "Nothing found so far." : "Nothing found."))
			: html`<ul class="hits">${this.hits.map((hit) => html`<li data-id=${hit.job.id}><div>${jobSummary(hit)} ${badge(STATES[hit.job.state], hit.job.state === "dead" ? "danger" : "")}
				<span class="muted">${when(hit.job)}</span></div>${hit.job.error ? html`<p class="hit-error">${foreign(firstLine(hit.job.error))}</p>` : nothing}</li>`)}</ul>`}
			${this.next && !this.searching ? html`<button type="button" id="search-more" @click=${() => this.search(ENOUGH).catch((error) => { this.app.problem = error; this.app.draw(); })}>Search on</button>` : nothing}`;
	}
}
