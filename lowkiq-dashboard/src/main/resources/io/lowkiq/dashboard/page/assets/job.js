// Everything about one id: its states, why it is not running, and what it has been through.

import { actionButton, pauseButton } from "./actions.js";
import { get, mayAct, pageLink, queueLink, queuePath } from "./api.js";
import { editButton } from "./edit.js";
import { number, plural, withTimes } from "./format.js";
import { MAX_PAYLOADS, Payloads, STATES, attemptText, attemptsBlock, errorBlock, isHeld, isMarked, linked, when } from "./jobs.js";
import { StackView } from "./stack.js";
import { at, badge, copyButton, facts, foreign, html, lasting, link, nothing, repeat } from "./ui.js";

const MAX_TRACES = 5;

const PAYLOADS = 100;

const KINDS = {
	PERFORMED: "ok", FETCHED: "ok", NEXT: "ok", EARLIER_RUN: "warn", SHARD_BUSY: "info", GROUP_FULL: "info", GROUP_PAUSED: "warn", GROUP_WAITS: "warn", OTHERS_BEFORE: "info", NO_FREE_THREAD: "info", SUSPECT: "warn", SCHEDULED: "info", GATHERING: "info", RETRY: "warn", UNREADABLE: "danger", HELD: "danger", FOLLOW_UP: "warn", PAUSED: "warn",
	NO_OWNER: "danger", NEWER_SHARD: "danger", OWNER_GONE: "danger", NODE_GONE: "danger", DEAD: "danger", FORGOTTEN: "danger", UNKNOWN: "info"
};

// From which traces the payloads were enqueued
function traces(job) {
	const ids = [...new Set(job.producers.map((producer) => producer.traceId))];
	const more = ids.length - MAX_TRACES;
	return html`${ids.slice(0, MAX_TRACES).map((id) => html`<div class="trace"><code>${foreign(id)}</code>${copyButton(id, "trace id")}</div>`)}
		${more > 0 ? html`<div class="muted">and ${plural(more, "more trace")}</div>` : nothing}
		${job.moreProducers > 0 ? html`<div class="muted">and ${plural(job.moreProducers, "more producer")}</div>` : nothing}`;
}

export class JobPage {
	constructor(app, queue, id) {
		Object.assign(this, { app, queue, id });
		this.title = `${id} – ${queue}`;
		this.crumbs = [[queue, queueLink(queue)], [id, null]];
		this.payloads = new Payloads(queue, () => app.draw(), () => this.more());
		this.wanted = PAYLOADS;
		this.stack = new StackView(() => app.draw());
	}

	async refresh() {
		this.detail = await get(queuePath(this.queue, "job"), { id: this.id, payloads: this.wanted });
		this.app.heard(this.detail.now);
		const { thread } = this.detail.why;
		const running = thread ? await get("running", { queue: this.queue }) : null;
		this.performed = running?.jobs.find((each) => each.thread === thread && each.ids.includes(this.id));
	}

	more() {
		this.wanted = Math.min(this.wanted * 10, MAX_PAYLOADS);
		return this.app.refresh();
	}

	view() {
		const { detail } = this;
		return html`<div class="title-row"><h1 tabindex="-1" class="id">${foreign(this.id)}</h1>${copyButton(this.id, "id")}
				${mayAct() && detail?.jobs.length > 0 ? html`<span class="buttons queue-actions">${detail.group ? pauseButton(this.app, this.queue, detail.group.name, detail.group.paused, " group") : nothing}
					${actionButton(this.queue, "erase", "Erase id", { ids: [this.id], after: () => this.app.refresh() })}</span>` : nothing}</div>
			<p class="muted">Queue ${link(queueLink(this.queue), foreign(this.queue))}${detail ? html` · shard ${number(detail.shard)}
				${detail.paused ? badge("queue is paused", "warn") : nothing}` : nothing}</p>
			<p class="callout why ${KINDS[detail?.why.reason] ?? "info"}" id="why" role="status">${detail ? linked(withTimes(detail.why.sentence), detail.why.named) : "Loading…"}</p>
			${detail?.why.reason === "UNKNOWN" ? html`<p class="next-step">${link(pageLink("help", { about: "a-job-is-done" }), "How to find its runs")}</p>` : nothing}
			${detail?.why.thread ? this.running(detail.why) : nothing}
			<div class="states">${repeat(detail?.jobs ?? [], (job) => job.state, (job) => this.card(job))}</div>`;
	}

	running(why) {
		const { performed } = this;
		return html`<p class="muted">Thread ${foreign(why.thread)} of node ${foreign(why.node)}${why.since > 0 ? html`, running for ${lasting(why.since)}` : nothing}
			${performed?.hasStack ? this.stack.button(performed) : nothing}</p>${performed ? this.stack.view(performed) : nothing}`;
	}

	buttons(job) {
		const after = () => this.app.refresh();
		const button = (action, label, kind) => actionButton(this.queue, action, label, { ids: [this.id], after, kind });
		if (!mayAct()) {
			return nothing;
		}
		if (job.state === "busy") {
			return isMarked(job) ? button("release", "Release") : button("hold", "Hold when it comes back");
		}
		if (job.state === "dead") {
			return html`${button("re-enqueue", "Retry", "primary")}${editButton(this.queue, job, after)}${button("delete-dead", "Delete")}`;
		}
		return isHeld(job)
			? html`${button("release", "Release", "primary")}${editButton(this.queue, job, after)}${button("kill", "Move to Dead")}${button("delete", "Delete")}`
			: html`${job.performAt > this.detail.now ? button("perform-now", "Run now", "primary") : nothing}${button("hold", "Hold")}
				${button("kill", "Move to Dead")}${button("delete", "Delete")}`;
	}

	card(job) {
		const busy = job.state === "busy" && this.detail.why.node;
		return html`<section class="card state-${job.state}" data-state=${job.state} aria-label=${STATES[job.state]}>
			<div class="card-head"><h2>${STATES[job.state]}</h2><div class="buttons">${this.buttons(job)}</div></div>
			${facts([
				job.enqueuedAt ? ["Enqueued", at(job.enqueuedAt)] : null,
				[job.state === "dead" ? "Died" : "Due", when(job)],
				["Payloads", number(job.payloadCount)],
				job.state === "dead" || job.retryCount < 0 ? null : ["State", attemptText(job)],
				job.crashes > 0 ? ["Crashes", `${number(job.crashes)} while it was running`] : null,
				busy ? ["Node", foreign(this.detail.why.node)] : null,
				job.producers.length > 0 ? ["Traces", traces(job)] : null
			])}
			${job.error ? errorBlock(job.error) : nothing}${attemptsBlock(job)}${this.payloads.view(job)}</section>`;
	}
}
