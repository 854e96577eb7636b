// What is shown of a job, in lists and on its own page.

import { get, jobLink, queueLink, queuePath } from "./api.js";
import { bytes, number, plural } from "./format.js";
import { ago, at, copyButton, foreign, foreignLines, html, link, nothing, toast } from "./ui.js";

export const STATES = { queued: "Enqueued", busy: "Busy", dead: "Dead" };

// What has become of the last job of a schedule
export const RESULTS = { done: ["done", "ok"], waiting: ["waiting", ""], running: ["running", "ok"], retrying: ["waiting for a retry", "warn"], dead: ["dead", "danger"] };

// The lists of a queue, the names of their two directions, if they have an order, and what happens at the times that can be searched
export const LISTS = {
	due: { label: "Due", none: "No jobs are due." },
	scheduled: { label: "Scheduled", none: "No jobs are scheduled for later.", directions: ["earliest first", "latest first"], times: "are due" },
	retries: { label: "Retries", none: "No jobs wait for a retry.", directions: ["fewest retries first", "most retries first"], times: "are due" },
	held: { label: "On hold", none: "No jobs are on hold.", directions: ["by id", "by id, descending"] },
	suspects: { label: "Suspects", none: "No jobs are suspects.", directions: ["earliest first", "latest first"] },
	queued: { label: "All enqueued", none: "No jobs are enqueued." },
	busy: { label: "Busy", none: "No jobs are busy." },
	dead: { label: "Dead", none: "No jobs are dead.", directions: ["longest dead first", "latest dead first"], times: "died" }
};

// A job on hold is never due: later than any date there is
const isNeverDue = (job) => job.performAt > 8.64e15;

export const isHeld = (job) => job.state === "queued" && isNeverDue(job);

// A busy job that somebody has put on hold: it is on hold when it comes back
export const isMarked = (job) => job.state === "busy" && isNeverDue(job);

export const when = (job) => (isHeld(job) ? "on hold" : isMarked(job) ? "on hold when it comes back"
	: html`${at(job.performAt)} <span class="muted relative">${ago(job.performAt)}</span>`);

// The present attempt, or the one that the job waits for. On hold, it waits for none, and starts over when released
export function attemptText(job) {
	if (job.state === "dead") {
		return "dead";
	}
	if (isHeld(job) && job.retryCount >= 0) {
		return plural(job.retryCount + 1, "failed attempt");
	}
	const of = job.maxRetryCount > 0 ? ` of ${number(job.maxRetryCount + 1)}` : "";
	return job.retryCount < 0 ? "new" : `attempt ${number(job.retryCount + 2)}${of}`;
}

export function firstLine(error) {
	const line = error.split("\n", 1)[0];
	return line.length > 160 ? `${line.slice(0, 160)}…` : line;
}

export function errorBlock(error) {
	const rest = error.includes("\n") || error.length > 160;
	return html`<div class="error-block">
		<div class="block-head"><strong>Error</strong>${copyButton(error, "error")}</div>
		${rest ? html`<details><summary>${foreign(firstLine(error))}</summary><pre tabindex="0">${foreignLines(error)}</pre></details>`
		: html`<p>${foreign(error)}</p>`}</div>`;
}

// The failures that are remembered, the last one first
export function attemptsBlock(job) {
	if (job.attempts.length === 0) {
		return nothing;
	}
	return html`<details class="attempts"><summary>${plural(job.attempts.length, "failed attempt")}</summary><ol>${[...job.attempts].reverse()
		.map((attempt) => html`<li><strong>Attempt ${number(attempt.attempt)}</strong> ${at(attempt.at)}
			${attempt.node ? html`<span class="muted">on ${foreign(attempt.node)}</span>` : nothing}<br>${foreign(firstLine(attempt.error))}</li>`)}</ol></details>`;
}

// More than these are not read of an id
export const MAX_PAYLOADS = 1000;

const KINDS = { JSON: "JSON", TEXT: "text", BROKEN: "not UTF-8", MASKED: "masked", HIDDEN: "hidden" };

// The payloads of a job. A page keeps one of these for each job, as it remembers what was shown whole
export class Payloads {
	constructor(queue, draw, onMore) {
		Object.assign(this, { queue, draw, onMore });
		this.whole = new Map();
	}

	view(job) {
		if (job.payloads.length === 0) {
			return html`<p class="muted">${plural(job.payloadCount, "payload")}, not shown</p>`;
		}
		const more = job.payloadCount - job.payloads.length;
		return html`${job.payloads.map((payload, place) => this.payload(job, payload, place))}
			${more > 0 ? html`<p class="muted">and ${plural(more, "more payload")}
				${this.onMore && job.payloads.length < MAX_PAYLOADS ? html`<button type="button" class="small" data-action="more-payloads" @click=${() => this.onMore()}>Show more</button>` : nothing}</p>` : nothing}`;
	}

	load(job, place) {
		return get(queuePath(this.queue, "payload"), { id: job.id, state: job.state, place });
	}

	async showAll(job, place, key) {
		try {
			this.whole.set(key, (await this.load(job, place)).text);
			this.draw();
		}
		catch (error) {
			toast(error.message, "error");
		}
	}

	payload(job, payload, place) {
		if (payload.text === null) {
			return html`<div class="payload"><p class="muted">${bytes(payload.bytes)}, hidden</p>${steps(payload)}</div>`;
		}
		const key = `${job.state} ${place} ${payload.text}`;
		const whole = this.whole.get(key);
		const cut = payload.cut && whole === undefined;
		return html`<div class="payload">
			<div class="block-head"><span><strong>Payload ${place + 1}</strong>
				<span class="muted">${job.payloadCount > 1 ? `score ${payload.score} · ` : ""}${bytes(payload.bytes)} · ${KINDS[payload.kind]}</span></span>
				<span class="buttons">${cut ? html`<button type="button" class="small quiet" @click=${() => this.showAll(job, place, key)}>Show all</button>` : nothing}
				${copyButton(async () => (cut ? (await this.load(job, place)).text : whole ?? payload.text), "payload")}</span></div>
			<pre tabindex="0" aria-label="Payload ${place + 1}">${foreignLines(whole ?? payload.text)}</pre>
			${cut ? html`<p class="muted">The first ${number(payload.text.length)} characters.</p>` : nothing}
			${steps(payload)}</div>`;
	}
}

// A sentence in which the ids of other jobs lead to them
export function linked(sentence, named) {
	const parts = [];
	let rest = sentence;
	for (const { queue, id } of named) {
		const place = rest.indexOf(`'${id}'`);
		// An id that can't be written as it is has no link
		if (place >= 0) {
			parts.push(foreign(rest.slice(0, place + 1)), link(jobLink(queue, id), foreign(id)));
			rest = rest.slice(place + 1 + id.length);
		}
	}
	return [...parts, foreign(rest)];
}

// What is enqueued when the payload is done
function steps(payload) {
	if (payload.then.length === 0) {
		return nothing;
	}
	return html`<p class="muted">Then ${payload.then.map((step, place) => html`${place > 0 ? " → " : ""}${link(jobLink(step.queue, step.id),
		html`${step.queue}: ${foreign(step.id)}`)}`)}</p>`;
}

// A row of a list of jobs over several queues
export const jobSummary = ({ queue, job }) => html`${link(jobLink(queue, job.id), foreign(job.id))}
	<span class="muted">in ${link(queueLink(queue), foreign(queue))}</span>`;
