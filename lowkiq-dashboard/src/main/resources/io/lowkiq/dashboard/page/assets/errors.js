// What fails, grouped by queue, kind and message, with actions on the group.

import { actionButton } from "./actions.js";
import { get, jobLink, mayAct, pageLink, queueLink } from "./api.js";
import { number, plural } from "./format.js";
import { ago, at, empty, foreign, html, link, nothing } from "./ui.js";

export class Page {
	constructor(app, parameters) {
		this.app = app;
		this.title = "Errors";
		this.queue = parameters.get("queue");
		this.crumbs = this.queue ? [["Errors", pageLink("errors")], [this.queue, null]] : [];
	}

	async refresh() {
		this.errors = await get("errors", { queue: this.queue });
		this.app.heard(this.errors.now);
	}

	view() {
		const { errors } = this;
		return html`<h1 tabindex="-1">Errors${this.queue ? html` of ${foreign(this.queue)}` : nothing}</h1>
			<section class="card" aria-label="Groups of errors">
				<p class="muted" id="errors-note">${errors ? this.note(errors) : ""}</p>
				${!errors ? empty("Loading…") : errors.groups.length === 0 ? empty("No job is dead or waits for a retry.")
				: html`<ul class="groups">${errors.groups.map((group) => this.group(group))}</ul>`}</section>`;
	}

	note(errors) {
		const scope = errors.complete ? "" : " Not all jobs were read, so there may be more than these counts.";
		return `${plural(errors.groups.length, "group")} in ${plural(errors.scanned, "failed or dead job")}.${scope}`;
	}

	group(group) {
		const after = () => this.app.refresh();
		const button = (action, label, state) => actionButton(group.queue, action, label,
			{ selection: { state, error: group.key }, after, name: `${label}: ${group.type} in ${group.queue}` });
		const atLeast = (count) => `${this.errors.complete ? "" : "≥ "}${number(count)}`;
		const jobs = (count, state, label) => (count > 0 ? link(queueLink(group.queue, { state, error: group.key }), `${atLeast(count)} ${label}`) : nothing);
		return html`<li class="group" data-key=${group.key}>
			<div class="group-head"><strong>${foreign(group.type)}</strong> <span class="muted">in ${link(queueLink(group.queue), foreign(group.queue))}</span></div>
			<p class="group-message">${foreign(group.message)}</p>
			<p class="group-counts">${jobs(group.dead, "dead", "dead")} ${jobs(group.retrying, "retries", "waiting for a retry")}
				<span class="muted">${group.last ? html`first death ${at(group.first)}, last ${at(group.last)} (${ago(group.last)}), ` : nothing}for example</span>
				${link(jobLink(group.queue, group.example.id), foreign(group.example.id))}</p>
			${mayAct() ? html`<div class="buttons">
				${group.dead > 0 ? html`${button("re-enqueue", `Retry ${atLeast(group.dead)} dead`, "dead")}${button("delete-dead", "Delete dead", "dead")}` : nothing}
				${group.retrying > 0 ? html`${button("perform-now", "Retry now", "retries")}${button("kill", "Move to Dead", "retries")}` : nothing}</div>` : nothing}</li>`;
	}
}
