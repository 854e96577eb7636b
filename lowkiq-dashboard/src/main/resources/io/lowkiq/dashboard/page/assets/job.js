// Everything about one id: its states, and why it is not being performed.

import { actionButton } from "./actions.js";
import { get, mayAct, queuePath } from "./api.js";
import { copyButton, foreign, h, replace } from "./dom.js";
import { editButton } from "./edit.js";
import { number, plural } from "./format.js";
import { STATES, errorBlock, isHeld, payloadBlocks, retryText, when } from "./jobs.js";
import { link, queueLink } from "./links.js";

const MOST_TRACES = 5;

const KINDS = {
	PERFORMED: "ok", FETCHED: "ok", NEXT: "ok", OTHERS_BEFORE: "info", NO_FREE_THREAD: "info", SUSPECT: "warn", SCHEDULED: "info", RETRY: "warn", HELD: "danger", PAUSED: "warn",
	NO_OWNER: "danger", OWNER_GONE: "danger", NODE_GONE: "danger", DEAD: "danger", UNKNOWN: "info"
};

// From which traces the payloads were enqueued
function traces(job) {
	const ids = [...new Set(job.producers.map((producer) => producer.traceId))];
	const more = ids.length - MOST_TRACES;
	const others = job.moreProducers > 0 ? h("div", { class: "muted" }, `and ${plural(job.moreProducers, "more producer")}`) : null;
	return [ids.slice(0, MOST_TRACES).map((id) => h("div", { class: "trace" }, h("code", {}, foreign(id)), copyButton(id, "trace id"))),
		more > 0 ? h("div", { class: "muted" }, `and ${plural(more, "more trace")}`) : null, others];
}

export class JobPage {
	constructor(queue, id, app) {
		this.queue = queue;
		this.id = id;
		this.app = app;
		this.title = `${id} – ${queue}`;
		this.why = h("p", { class: "callout info why", id: "why", role: "status" }, "Loading…");
		this.facts = h("p", { class: "muted" });
		this.states = h("div", { class: "states" });
		this.element = h("div", {},
			h("div", { class: "title-row" }, h("h1", { tabindex: "-1", class: "id" }, foreign(id)), copyButton(id, "id")),
			this.facts, this.why, this.states);
	}

	crumbs() {
		return [[this.queue, queueLink(this.queue)], [this.id, null]];
	}

	async refresh() {
		const detail = await get(queuePath(this.queue, "job"), { id: this.id });
		const why = detail.why;
		if (this.whyShown !== why.sentence) {
			this.whyShown = why.sentence;
			this.why.className = `callout why ${KINDS[why.reason] ?? "info"}`;
			replace(this.why, foreign(why.sentence));
			replace(this.facts, "Queue ", link(queueLink(this.queue), foreign(this.queue)), ` · shard ${number(detail.shard)}`,
				detail.paused ? h("span", { class: "badge warn" }, "queue is paused") : null);
		}
		const signature = JSON.stringify([detail.jobs, mayAct()]);
		if (signature !== this.shown) {
			this.shown = signature;
			const open = new Set([...this.states.querySelectorAll("details[open]")].map((each) => each.closest("[data-state]").dataset.state));
			replace(this.states, detail.jobs.map((job) => this.card(job, detail)));
			for (const state of open) {
				this.states.querySelector(`[data-state="${state}"] details`)?.setAttribute("open", "");
			}
		}
	}

	card(job, detail) {
		const after = () => this.app.refreshNow();
		const options = { ids: [this.id], after };
		const buttons = !mayAct() || job.state === "busy" ? null : job.state === "dead"
			? [actionButton(this.queue, "re-enqueue", "Enqueue again", { ...options, kind: "primary" }),
				actionButton(this.queue, "delete-dead", "Delete", { ...options, kind: "danger-quiet" })]
			: isHeld(job) ? [actionButton(this.queue, "release", "Release", { ...options, kind: "primary" }),
				editButton(this.queue, job, after),
				actionButton(this.queue, "kill", "Bury", options),
				actionButton(this.queue, "delete", "Delete", { ...options, kind: "danger-quiet" })]
			: [job.performAt > detail.now ? actionButton(this.queue, "perform-now", "Perform now", { ...options, kind: "primary" }) : null,
				actionButton(this.queue, "delete", "Delete", { ...options, kind: "danger-quiet" })];
		const rows = [[job.state === "dead" ? "Died" : "Perform at", when(job, detail.now)],
			["Payloads", number(job.payloadCount)]];
		if (job.state !== "dead") {
			rows.push(["State", `${retryText(job)} (retryCount ${job.retryCount})`]);
		}
		if (job.crashes > 0) {
			rows.push(["Crashes", `${number(job.crashes)} while it was being performed`]);
		}
		if (job.state === "busy" && detail.why.node) {
			rows.push(["Node", foreign(detail.why.node)]);
			rows.push(["Thread", detail.why.thread ? foreign(detail.why.thread) : "unknown"]);
		}
		if (job.producers.length > 0) {
			rows.push(["Traces", traces(job)]);
		}
		return h("section", { class: `card state-${job.state}`, "data-state": job.state, "aria-label": STATES[job.state] },
			h("div", { class: "card-head" }, h("h2", {}, STATES[job.state]), h("div", { class: "buttons" }, buttons)),
			h("dl", { class: "facts" }, rows.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value)))),
			job.error ? errorBlock(job.error) : null, payloadBlocks(this.queue, job));
	}

	close() {
	}
}
