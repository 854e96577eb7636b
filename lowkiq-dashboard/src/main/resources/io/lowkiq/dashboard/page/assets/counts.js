// The counts of a queue, or of all queues.

import { pageLink, queueLink } from "./api.js";
import { duration, number, plural, short, shortDuration } from "./format.js";
import { badge, html, link } from "./ui.js";

const OVERDUE = 60000;

const TOTALS = [
	["lag", "Lag", "How long the oldest due job that may start has waited"],
	["busy", "Busy", "Jobs that are running"],
	["enqueued", "Enqueued", "Waiting jobs"],
	["due", "Due", "Waiting jobs that can run now"],
	["delayed", "Scheduled", "Waiting jobs that are due later, including retries"],
	["retries", "Retries", "Jobs that wait for a retry"],
	["held", "On hold", "Jobs that wait until someone releases them"],
	["dead", "Dead", "Jobs that do not run again unless someone retries them"],
	["processed", "Processed", "Jobs completed since the queue was created"],
	["failed", "Failed", "Failures since the queue was created"]
];

// What needs a look now; sums since the queue was created and rates are in the tables and the chart. Each tile leads to its jobs
export function tiles(counts, { threads, running, to } = {}) {
	const value = (key) => (counts ? short(counts[key]) : "–");
	const tile = (key, label, loud, href, extra) => html`<div class="total ${key} ${loud && counts?.[key] > 0 ? `attention ${loud}` : ""}">
		<dt>${href ? link(href, label) : label}</dt>
		<dd><span class="big" data-total=${key} title=${counts ? number(counts[key]) : ""}>${value(key)}</span>${extra ? html` <span class="muted extra">${extra}</span>` : ""}</dd></div>`;
	const oldest = counts?.lag > 0 ? `oldest ${shortDuration(counts.lag)}` : "";
	const waiting = html`${oldest}${oldest ? " · " : ""}of <span data-total="enqueued" title=${counts ? number(counts.enqueued) : ""}>${value("enqueued")}</span> waiting`;
	return html`<dl class="totals">
		${tile("due", "Due", counts?.lag > OVERDUE ? "warn" : "", to?.("due"), waiting)}
		<div class="total busy"><dt>${link(running ?? pageLink("running"), "Busy")}</dt><dd><span class="big" data-total="busy">${counts ? number(threads?.busy ?? counts.busy) : "–"}</span>
			${threads ? html`<span class="muted extra">of ${plural(threads.count, "thread")}${threads.lost > 0 ? `, ${number(threads.lost)} without a lease` : ""}</span>` : ""}</dd></div>
		${tile("retries", "Retries", "warn", to?.("retries"))}
		${tile("held", "On hold", "warn", to?.("held"))}
		${tile("dead", "Dead", "danger", to?.("dead"))}</dl>`;
}

// Jobs that a pause or a limit holds back wait for longer
const heldBack = ({ lag, lagOfAll }) => (lagOfAll > lag ? html` <span class="muted small-text" title="A pause, or the limit of a group, holds jobs back">(held back: ${shortDuration(lagOfAll)})</span>` : "");

// Where the jobs of a count are found
const LISTS = { enqueued: "queued", due: "due", delayed: "scheduled", retries: "retries", held: "held", busy: "busy", dead: "dead" };

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
		? { key, label, number: true, value: (row) => row.counts.lag, cell: (row) => html`${row.counts.lag ? duration(row.counts.lag) : html`<span class="zero">0</span>`}${heldBack(row.counts)}` }
		: column(key, label, name, parameters);
});

// With a sign, since not everybody sees colours
export const queueBadges = (queue) => html`${queue.failing ? badge("failing", "danger sign", "Most of the last runs have failed") : ""}${queue.paused ? badge("paused", "warn sign") : ""}${queue.unowned > 0
	? badge(queue.unowned === queue.shards ? "no owner" : `${number(queue.unowned)} of ${number(queue.shards)} shards without an owner`, "danger sign",
		"Their jobs are not running") : ""}`;
