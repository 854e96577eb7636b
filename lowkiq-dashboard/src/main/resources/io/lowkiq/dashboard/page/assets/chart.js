// The history as a chart, drawn by Chart.js, with the same as a table beside it.

import "./chart/chart.umd.min.js";
import { get } from "./api.js";
import { clock, number, rate, shortDuration, time } from "./format.js";
import { html, render } from "./ui.js";

const MINUTE = 60 * 1000;
const HOUR = 60 * MINUTE;

// A history that has just begun is not drawn as a sliver
const SHORTEST_SPAN = 10 * MINUTE;

// Where more is missing, there is no line
const GAP = 2.5 * MINUTE;

const TICK_STEPS = [MINUTE, 3 * MINUTE, 5 * MINUTE, 10 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR];

const PERIODS = [[60, "1 h"], [360, "6 h"], [2880, "48 h"]];

// What can be shown: the fields, their names and colors, and how their values are written
const SERIES = {
	throughput: { label: "Throughput", fields: [["processed", "Processed", "processed"], ["failed", "Failed", "failed"]], text: rate, unit: "/s" },
	backlog: { label: "Backlog", fields: [["enqueued", "Enqueued", "processed"], ["dead", "Dead", "failed"]], text: number, unit: "" },
	lag: { label: "Lag", fields: [["lag", "Lag", "processed"]], text: shortDuration, unit: "" },
	duration: { label: "Duration", fields: [["p50", "p50", "processed"], ["p95", "p95", "slow"]], text: shortDuration, unit: "" }
};

// At whole steps, as many as there is room for
function timeTicks({ min, max, maxWidth }) {
	const step = TICK_STEPS.find((each) => (max - min) / each <= Math.min(6, maxWidth / 50)) ?? TICK_STEPS.at(-1);
	const offset = step >= HOUR ? new Date(max).getTimezoneOffset() * MINUTE : 0;
	const ticks = [];
	for (let value = Math.ceil((min - offset) / step) * step + offset; value <= max; value += step) {
		ticks.push({ value });
	}
	return ticks;
}

// Midnight is named by the day that begins
function tickLabel(value) {
	const label = clock(value).slice(0, 5);
	return label === "00:00" ? time(value).slice(5, 10) : label;
}

function color(name) {
	return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

const colors = (name) => ({ borderColor: color(`--chart-${name}`), backgroundColor: color(`--chart-${name}-fill`) });

export class HistoryChart {
	constructor(queue) {
		this.queue = queue;
		this.minutes = PERIODS[0][0];
		this.series = "throughput";
		this.points = null;
		this.element = document.createElement("section");
		this.element.className = "card";
		this.element.setAttribute("aria-labelledby", "chart-title");
		this.render();
		this.onTheme = () => this.restyle();
		document.addEventListener("lowkiq-theme", this.onTheme);
		this.media = matchMedia("(prefers-color-scheme: dark)");
		this.media.addEventListener("change", this.onTheme);
	}

	choose(changes) {
		Object.assign(this, changes);
		this.last = 0;
		this.refresh().catch(() => { /* The page tells that there are no data */ });
	}

	async refresh() {
		// A point is added every minute: asking more often shows nothing new
		if (this.last && performance.now() - this.last < 10000) {
			return;
		}
		this.last = performance.now();
		const { minutes } = this;
		const history = await get("history", { minutes, queue: this.queue });
		if (minutes === this.minutes) {
			this.points = history.points;
			this.redraw();
		}
	}

	redraw() {
		this.render();
		this.draw();
	}

	render() {
		const { fields, label, text, unit } = SERIES[this.series];
		const points = this.points ?? [];
		const last = points.at(-1);
		const value = (point, field) => (point[field] === null ? "–" : text(point[field]));
		const summary = last ? fields.map(([field, name]) => `${value(last, field)}${unit} ${name.toLowerCase()}`).join(", ") : "";
		const segments = (name, chosen, all, choose) => html`<div class="segments" role="group" aria-label=${name}>${all.map(([key, each]) => html`<button type="button"
			aria-pressed=${String(key === chosen)} data-choice=${key} @click=${() => this.choose(choose(key))}>${each}</button>`)}</div>`;
		render(html`<div class="card-head"><h2 id="chart-title">${label}</h2><p class="muted small-text">${summary}</p>
				${segments("Show", this.series, Object.entries(SERIES).map(([key, each]) => [key, each.label]), (series) => ({ series }))}
				${segments("Period", this.minutes, PERIODS, (minutes) => ({ minutes }))}</div>
			<div class="chart ${points.length === 0 ? "none" : ""}"><canvas role="img" aria-label="Chart. ${label}: ${summary}"></canvas>
				<p class="chart-none">${this.points === null ? "Loading…" : "The first point comes within three minutes."}</p></div>
			<details class="chart-table" @toggle=${(event) => { this.open = event.target.open; this.render(); }}><summary>As a table</summary>
				<div class="table-wrap short" tabindex="0" role="region" aria-label="History as a table"><table>
					<thead><tr><th scope="col">Time</th>${fields.map(([, name]) => html`<th scope="col" class="number">${name}${unit}</th>`)}</tr></thead>
					<tbody>${this.open ? [...points].reverse().map((point) => html`<tr><th scope="row">${time(point.at)}</th>${fields
						.map(([field]) => html`<td class="number">${value(point, field)}</td>`)}</tr>`) : []}</tbody></table></div></details>`, this.element);
	}

	draw() {
		if (this.chart && this.drawn !== this.series) {
			this.chart.destroy();
			this.chart = null;
		}
		if (!this.chart) {
			this.drawn = this.series;
			this.chart = new window.Chart(this.element.querySelector("canvas"), this.configuration());
			this.style();
		}
		SERIES[this.series].fields.forEach(([field], i) => {
			this.chart.data.datasets[i].data = this.points.map((point) => ({ x: point.at, y: point[field] }));
		});
		const end = this.points.at(-1)?.at ?? Date.now();
		const length = end - (this.points[0]?.at ?? end);
		Object.assign(this.chart.options.scales.x, { min: end - Math.max(length, SHORTEST_SPAN), max: end });
		this.chart.update("none");
	}

	configuration() {
		const { fields, text, unit } = SERIES[this.series];
		// One or two points make no line to be seen
		const segment = ({ p0, p1 }) => (p1.parsed.x - p0.parsed.x > GAP ? "transparent" : undefined);
		const style = {
			borderWidth: 2, pointRadius: ({ dataset }) => (dataset.data.length < 3 ? 3 : 0), pointHitRadius: 12, clip: 6, tension: 0.25, fill: true,
			segment: { borderColor: segment, backgroundColor: segment }
		};
		return {
			type: "line",
			data: { datasets: fields.map(([, label, name]) => ({ label, data: [], ...style, ...colors(name) })) },
			options: {
				animation: false, responsive: true, maintainAspectRatio: false,
				interaction: { mode: "index", intersect: false },
				plugins: {
					legend: { position: "bottom", labels: { usePointStyle: true, boxHeight: 7, boxWidth: 7 } },
					tooltip: { callbacks: { title: ([item]) => (item ? time(item.parsed.x) : ""), label: (item) => ` ${item.dataset.label}: ${text(item.parsed.y)}${unit}` } }
				},
				scales: {
					x: { type: "linear", afterBuildTicks: (axis) => { axis.ticks = timeTicks(axis); }, ticks: { maxRotation: 0, autoSkip: true, callback: tickLabel }, grid: { display: false } },
					y: { beginAtZero: true, suggestedMax: 1, ticks: { maxTicksLimit: 5, callback: (value) => text(value) } }
				}
			}
		};
	}

	restyle() {
		if (this.chart) {
			this.style();
			this.chart.update("none");
		}
	}

	style() {
		SERIES[this.series].fields.forEach(([, , name], i) => Object.assign(this.chart.data.datasets[i], colors(name)));
		const { plugins, scales } = this.chart.options;
		plugins.legend.labels.color = color("--muted");
		for (const axis of [scales.x, scales.y]) {
			axis.ticks.color = color("--muted");
			axis.border = { color: color("--line") };
		}
		scales.y.grid = { color: color("--line") };
	}

	close() {
		document.removeEventListener("lowkiq-theme", this.onTheme);
		this.media.removeEventListener("change", this.onTheme);
		this.chart?.destroy();
	}
}
