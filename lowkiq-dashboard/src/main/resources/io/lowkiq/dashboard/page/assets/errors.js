// What fails, grouped by kind and message over all queues, with actions on each group and on all of a kind.

import { actionButton } from "./actions.js";
import { get, jobLink, mayAct, pageLink, queueLink } from "./api.js";
import { clock, duration, number, plural } from "./format.js";
import { at, empty, foreign, html, link, nothing } from "./ui.js";

const sum = (groups, count) => groups.reduce((all, group) => all + group[count], 0);

// The groups of one kind of error, one for each queue, the largest kind first
function kinds(groups) {
	const byKey = new Map();
	groups.forEach((group) => byKey.set(group.key, [...byKey.get(group.key) ?? [], group]));
	const size = (kind) => sum(kind, "dead") + sum(kind, "retrying");
	return [...byKey.values()].sort((a, b) => size(b) - size(a));
}

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
		this.app.draw();
	}

	// The server counts for a limited time, as long as somebody asks
	soon() {
		return this.errors?.counting;
	}

	view() {
		const { errors } = this;
		return html`<h1 tabindex="-1">Errors${this.queue ? html` of ${foreign(this.queue)}` : nothing}</h1>
			<section class="card" aria-label="Groups of errors">
				<p class="muted" id="errors-note">${errors ? this.note(errors) : ""}</p>
				${errors?.counting ? html`<progress aria-label="Progress of counting" max=${errors.total} value=${errors.scanned}></progress>` : nothing}
				${!errors ? empty("Loading…") : errors.groups.length === 0 ? empty(errors.counting ? "Counting…" : "No job is dead or waits for a retry.")
				: html`<ul class="groups">${kinds(errors.groups).map((kind) => this.kind(kind))}</ul>`}</section>`;
	}

	note(errors) {
		if (errors.counting) {
			return `Counting: ${number(errors.scanned)} of ${plural(errors.total, "failed or dead job")} read.`;
		}
		const scope = errors.complete ? "" : " Not all jobs were read. Counts marked ≥ are minimums.";
		return `As of ${clock(errors.asOf)}: ${plural(errors.groups.length, "group")} in ${plural(errors.scanned, "failed or dead job")}.${scope}`;
	}

	atLeast(groups, count) {
		return `${groups.every((group) => group.complete) ? "" : "≥ "}${number(sum(groups, count))}`;
	}

	button(groups, action, label, state) {
		const { key, type, queue } = groups[0];
		const queues = groups.map((group) => group.queue);
		return actionButton(queue, action, label, { queues, selection: { state, error: key }, after: () => this.app.refresh(),
			name: `${label}: ${type ?? groups[0].message} in ${groups.length === 1 ? queue : plural(groups.length, "queue")}` });
	}

	buttons(groups) {
		const dead = groups.filter((group) => group.dead > 0);
		const retrying = groups.filter((group) => group.retrying > 0);
		const where = (some) => (some.length > 1 ? ` in ${plural(some.length, "queue")}` : "");
		return html`<div class="buttons">
			${dead.length > 0 ? html`${this.button(dead, "re-enqueue", `Retry ${this.atLeast(dead, "dead")} dead${where(dead)}`, "dead")}${this.button(dead, "delete-dead", "Delete dead", "dead")}` : nothing}
			${retrying.length > 0 ? html`${this.button(retrying, "perform-now", `Retry ${this.atLeast(retrying, "retrying")} now${where(retrying)}`, "retries")}${this.button(retrying, "kill", "Move to Dead", "retries")}` : nothing}</div>`;
	}

	kind(groups) {
		const [{ key, type, message, queue }] = groups;
		const several = groups.length > 1;
		return html`<li class="kind ${several ? "" : "group"}" data-key=${key}>
			<div class="group-head"><strong>${foreign(type ?? message)}</strong> <span class="muted">in ${several ? `${number(groups.length)} queues`
				: link(queueLink(queue), foreign(queue))}</span></div>
			${type === null ? nothing : html`<p class="group-message">${foreign(message)}</p>`}
			${several ? html`${mayAct() ? this.buttons(groups) : nothing}<ul class="groups">${groups.map((group) => html`<li class="group" data-queue=${group.queue}>
				<div class="group-head">${link(queueLink(group.queue), foreign(group.queue))}</div>${this.group(group)}</li>`)}</ul>`
			: this.group(groups[0])}</li>`;
	}

	group(group) {
		const jobs = (count, state, label) => (group[count] > 0 ? link(queueLink(group.queue, { state, error: group.key }), `${this.atLeast([group], count)} ${label}`) : nothing);
		return html`<p class="group-counts">${jobs("dead", "dead", "dead")} ${jobs("retrying", "retries", "waiting for a retry")}
				<span class="muted">${group.last ? html`first death ${at(group.first)}, last ${at(group.last)} (${duration(this.errors.asOf - group.last)} before), ` : nothing}for example</span>
				${link(jobLink(group.queue, group.example.id), foreign(group.example.id))}</p>
			${mayAct() ? this.buttons([group]) : nothing}`;
	}
}
