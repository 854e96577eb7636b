// What is shown of a job, in lists and on its own page.

import { get, queuePath } from "./api.js";
import { copyButton, foreign, h, replace, timeTag, toast } from "./dom.js";
import { bytes, number, plural, relative, time } from "./format.js";
import { jobLink, link } from "./links.js";

export const STATES = { queued: "Enqueued", busy: "Busy", dead: "Dead" };

// The lists of a queue, and the names of their two directions, if they have an order
export const LISTS = {
	ready: { label: "Ready", none: "No jobs are ready.", directions: ["oldest first", "newest first"] },
	delayed: { label: "Delayed", none: "No jobs are delayed.", directions: ["earliest first", "latest first"] },
	retries: { label: "Retries", none: "No jobs wait for a retry.", directions: ["fewest retries first", "most retries first"] },
	held: { label: "On hold", none: "No jobs are on hold.", directions: ["by id", "by id, descending"] },
	suspects: { label: "Suspects", none: "No jobs are suspects.", directions: ["earliest first", "latest first"] },
	queued: { label: "All enqueued", none: "No jobs are enqueued." },
	busy: { label: "Busy", none: "No jobs are busy." },
	dead: { label: "Dead", none: "No jobs are dead.", directions: ["longest dead first", "latest dead first"] }
};

// A job on hold is never due: later than any date there is
export function isHeld(job) {
	return job.state === "queued" && job.performAt > 8.64e15;
}

export function when(job, now) {
	if (isHeld(job)) {
		return "on hold";
	}
	return [timeTag(job.performAt, time(job.performAt)), h("span", { class: "muted relative" }, ` ${relative(job.performAt, now)}`)];
}

export function retryText(job) {
	if (job.state === "dead") {
		return "dead";
	}
	return job.retryCount < 0 ? "fresh" : `retry ${job.retryCount + 1}`;
}

export function firstLine(error) {
	const line = error.split("\n", 1)[0];
	return line.length > 160 ? `${line.slice(0, 160)}…` : line;
}

export function errorBlock(error) {
	const rest = error.includes("\n") || error.length > 160;
	return h("div", { class: "error-block" },
		h("div", { class: "block-head" }, h("strong", {}, "Error"), copyButton(error, "error")),
		rest ? h("details", {}, h("summary", {}, foreign(firstLine(error))), h("pre", { tabindex: "0" }, foreign(error, { multiline: true })))
			: h("p", {}, foreign(error)));
}

export function payloadBlocks(queue, job) {
	const shown = job.payloads.map((payload, place) => payloadBlock(queue, job, payload, place));
	const more = job.payloadCount - job.payloads.length;
	if (job.payloads.length === 0) {
		return [h("p", { class: "muted" }, `${plural(job.payloadCount, "payload")}, not shown`)];
	}
	return more > 0 ? [shown, h("p", { class: "muted" }, `and ${plural(more, "more payload")}`)] : shown;
}

const KINDS = { JSON: "JSON", TEXT: "text", BROKEN: "not UTF-8", MASKED: "masked", HIDDEN: "hidden" };

function payloadBlock(queue, job, payload, place) {
	if (payload.text === null) {
		return h("div", { class: "payload" }, h("p", { class: "muted" }, `${bytes(payload.bytes)}, hidden`), steps(payload));
	}
	const pre = h("pre", { tabindex: "0", "aria-label": `Payload ${place + 1}` }, foreign(payload.text, { multiline: true }));
	const whole = () => get(queuePath(queue, "payload"), { id: job.id, state: job.state, place });
	let text = payload.text;
	const copy = copyButton(async () => (payload.cut ? (await whole()).text : text), "payload");
	const more = payload.cut ? h("button", { type: "button", class: "small quiet" }, "Show all") : null;
	more?.addEventListener("click", async () => {
		try {
			const loaded = await whole();
			text = loaded.text;
			replace(pre, foreign(text, { multiline: true }));
			more.remove();
			pre.focus();
		}
		catch (error) {
			toast(error.message, "error");
		}
	});
	return h("div", { class: "payload" },
		h("div", { class: "block-head" }, h("span", {}, h("strong", {}, `Payload ${place + 1}`), " ",
			h("span", { class: "muted" }, `score ${payload.score} · ${bytes(payload.bytes)} · ${KINDS[payload.kind]}`)),
			h("span", { class: "buttons" }, more, copy)),
		pre, payload.cut ? h("p", { class: "muted" }, `The first ${number(payload.text.length)} characters.`) : null,
		steps(payload));
}

// What is enqueued when the payload is done
function steps(payload) {
	if (payload.then.length === 0) {
		return null;
	}
	return h("p", { class: "muted" }, "Then ", payload.then.map((step, place) => [place > 0 ? " → " : "",
		link(jobLink(step.queue, step.id), [`${step.queue}: `, foreign(step.id)])]));
}
