// The counts of a queue, or of all queues.

import { queueLink } from "./api.js";
import { duration, number, short, shortDuration } from "./format.js";
import { badge, html, link } from "./ui.js";

const TOTALS = [
	["lag", "Lag", "How long the oldest due job has waited"],
	["busy", "Busy", "Jobs being performed"],
	["enqueued", "Enqueued", "Waiting jobs"],
	["due", "Due", "Waiting jobs that can be performed now"],
	["delayed", "Scheduled", "Waiting jobs that are due later, retries among them"],
	["retries", "Retries", "Waiting jobs that failed before"],
	["held", "On hold", "Jobs that wait until someone releases them"],
	["dead", "Dead", "Jobs in the morgue"],
	["processed", "Processed", "Jobs completed since the queue was created"],
	["failed", "Failed", "Failures since the queue was created"]
];

const LOUD = new Set(["dead", "retries", "held"]);

export function totals(counts) {
	const text = (key) => (!counts ? "–" : key !== "lag" ? short(counts[key]) : counts.lag ? shortDuration(counts.lag) : "0");
	const exact = (key) => (!counts ? "" : key === "lag" ? `${number(counts.lag)} ms` : number(counts[key]));
	return html`<dl class="totals">${TOTALS.map(([key, label, title]) => html`
		<div class="total ${key} ${LOUD.has(key) && counts?.[key] > 0 ? "attention" : ""}" title=${title}>
			<dt>${label}</dt><dd data-total=${key} title=${exact(key)}>${text(key)}</dd></div>`)}</dl>`;
}

// Where the jobs of a count are found
const LISTS = { enqueued: "queued", due: "ready", delayed: "delayed", retries: "retries", held: "held", busy: "busy", dead: "dead" };

function column(key, label, name, parameters) {
	return {
		key, label, number: true, value: (row) => row.counts[key],
		cell: (row) => (LISTS[key] && row.counts[key] > 0
			? link(queueLink(row.queue, { state: LISTS[key], ...parameters?.(row) }), number(row.counts[key]), `${label} of ${name(row)}: ${number(row.counts[key])}`)
			: html`<span class=${row.counts[key] === 0 ? "zero" : ""}>${number(row.counts[key])}</span>`)
	};
}

// Columns of counts, of which some lead to their jobs
export const countColumns = (keys, name, parameters) => keys.map((key) => {
	const [, label] = TOTALS.find(([each]) => each === key);
	return key === "lag"
		? { key, label, number: true, value: (row) => row.counts.lag, cell: (row) => (row.counts.lag ? duration(row.counts.lag) : "0") }
		: column(key, label, name, parameters);
});

export const queueBadges = (queue) => html`${queue.paused ? badge("paused", "warn") : ""}${queue.unowned > 0
	? badge(queue.unowned === queue.shards ? "no owner" : `${number(queue.unowned)} of ${number(queue.shards)} shards without an owner`, "danger",
		"Their jobs are not being performed") : ""}`;
