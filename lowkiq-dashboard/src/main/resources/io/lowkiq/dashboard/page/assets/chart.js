// The history as a chart, drawn by Chart.js, with the same as a table beside it.

import "./chart/chart.umd.min.js";
import { get } from "./api.js";
import { clock, number, rate, shortDuration, time, utcDay } from "./format.js";
import { html, nothing, render } from "./ui.js";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

// A history that has just begun is not drawn as a sliver
const SHORTEST_SPAN = 100 * SECOND;

const TICK_STEPS = [MINUTE / 3, MINUTE, 3 * MINUTE, 5 * MINUTE, 10 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, DAY];

const PERIODS = {
	"recent": { label: "1,000 s", span: 1000 * SECOND, gap: 150 * SECOND },
	"1h": { label: "1 h", span: HOUR, gap: 2.5 * MINUTE },
	"24h": { label: "24 h", span: DAY, gap: 25 * MINUTE },
	"7d": { label: "7 d", span: 7 * DAY, gap: 2.5 * HOUR },
	"days": { label: "365 d" }
};

// What can be shown: the fields, their names and colors, and how their values are written
const SERIES = {
	throughput: { label: "Throughput", fields: [["processed", "Processed", "processed"], ["failed", "Failed", "failed"]], text: rate, unit: "/s" },
	backlog: { label: "Backlog", fields: [["enqueued", "Enqueued", "processed"], ["dead", "Dead", "failed"]], text: number, unit: "" },
	lag: { label: "Lag", fields: [["lag", "Lag", "processed"]], text: shortDuration, unit: "" },
	duration: { label: "Duration", fields: [["p50", "p50", "processed"], ["p95", "p95", "slow"]], text: shortDuration, unit: "" }
};

// At whole steps, as many as there is room for
function timeTicks({ min, max, maxWidth }) {
	const room = (step) => Math.min(6, maxWidth / (step < MINUTE ? 80 : 50));
	const step = TICK_STEPS.find((each) => (max - min) / each <= room(each)) ?? DAY;
	const offset = step >= HOUR ? new Date(max).getTimezoneOffset() * MINUTE : 0;
	const ticks = [];
	for (let value = Math.ceil((min - offset) / step) * step + offset; value <= max; value += step) {
		ticks.push({ value });
	}
	return ticks;
}

function tickLabel(value, place, ticks) {
	if (ticks.some((tick) => tick.value % MINUTE !== 0)) {
		return clock(value);
	}
	return ticks.length > 1 && ticks[1].value - ticks[0].value >= DAY ? time(value).slice(5, 10) : clock(value).slice(0, 5);
}

function color(name) {
	return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

const colors = (name, bars) => ({ borderColor: color(`--chart-${name}`), backgroundColor: color(`--chart-${name}${bars ? "" : "-fill"}`) });

export class HistoryChart {
	constructor(queue) {
		this.queue = queue;
		this.period = "recent";
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

	// The longer periods know more than the throughput
	isDetailed() {
		return ["1h", "24h", "7d"].includes(this.period);
	}

	choose(changes) {
		Object.assign(this, changes);
		if (!this.isDetailed()) {
			this.series = "throughput";
		}
		this.last = 0;
		this.refresh().catch(() => { /* The page tells that there are no data */ });
	}

	async refresh() {
		// A point is added every ten seconds: asking more often shows nothing new
		if (this.last && performance.now() - this.last < 5000) {
			return;
		}
		this.last = performance.now();
		const history = await get("history", { period: this.period, queue: this.queue });
		if (history.period === this.period) {
			this.points = history.points;
			this.redraw();
		}
	}

	redraw() {
		this.render();
		this.draw();
	}

	render() {
		const { fields, text } = SERIES[this.series];
		const points = this.points ?? [];
		const unit = this.unit();
		const last = points.at(-1);
		const day = this.period === "days";
		const value = (point, field) => (point[field] === null || point[field] === undefined ? "–" : text(point[field]));
		const summary = last ? fields.map(([field, label]) => `${value(last, field)}${unit} ${label.toLowerCase()}`).join(", ") + (day ? " today, UTC" : "") : "";
		const segments = (name, chosen, all) => html`<div class="segments" role="group" aria-label=${name}>${all.map(([key, label]) => html`<button type="button"
			aria-pressed=${String(key === chosen)} data-choice=${key} @click=${() => this.choose(name === "Period" ? { period: key } : { series: key })}>${label}</button>`)}</div>`;
		render(html`<div class="card-head"><h2 id="chart-title">${SERIES[this.series].label}</h2><p class="muted small-text">${summary}</p>
				${this.isDetailed() ? segments("Show", this.series, Object.entries(SERIES).map(([key, { label }]) => [key, label])) : nothing}
				${segments("Period", this.period, Object.entries(PERIODS).map(([key, { label }]) => [key, label]))}</div>
			<div class="chart ${points.length === 0 ? "none" : ""}"><canvas role="img" aria-label="Chart. ${SERIES[this.series].label}: ${summary}"></canvas>
				<p class="chart-none">${this.none()}</p></div>
			<details class="chart-table"><summary>As a table</summary>
				<div class="table-wrap short" tabindex="0" role="region" aria-label="History as a table"><table>
					<thead><tr><th scope="col">${day ? "Day, UTC" : "Time"}</th>${fields.map(([, label]) => html`<th scope="col" class="number">${label}${unit}</th>`)}</tr></thead>
					<tbody>${[...points].reverse().map((point) => html`<tr><th scope="row">${day ? utcDay(point.at) : time(point.at)}</th>${fields
						.map(([field]) => html`<td class="number">${value(point, field)}</td>`)}</tr>`)}</tbody></table></div></details>`, this.element);
	}

	unit() {
		return this.period === "days" ? "" : SERIES[this.series].unit;
	}

	none() {
		return this.points === null ? "Loading…" : this.period === "recent" ? "The first points come within 20 seconds."
			: this.period === "days" ? "The first day is being counted." : "The first point comes within a few minutes.";
	}

	draw() {
		const bars = this.period === "days";
		const key = `${bars} ${this.series}`;
		if (this.chart && this.drawn !== key) {
			this.chart.destroy();
			this.chart = null;
		}
		if (!this.chart) {
			this.drawn = key;
			this.chart = new window.Chart(this.element.querySelector("canvas"), this.configuration(bars));
			this.style();
		}
		const { fields } = SERIES[this.series];
		this.chart.data.labels = bars ? this.points.map((point) => utcDay(point.at)) : [];
		fields.forEach(([field], i) => {
			this.chart.data.datasets[i].data = bars ? this.points.map((point) => point[field])
				: this.points.map((point) => ({ x: point.at, y: point[field] ?? null }));
		});
		if (!bars) {
			const { span } = PERIODS[this.period];
			const end = this.points.at(-1)?.at ?? Date.now();
			const length = end - (this.points[0]?.at ?? end);
			Object.assign(this.chart.options.scales.x, { min: end - Math.min(Math.max(length, Math.min(SHORTEST_SPAN, span)), span), max: end });
		}
		this.chart.update("none");
	}

	configuration(bars) {
		const { fields, text } = SERIES[this.series];
		// One or two points make no line to be seen; where nothing was recorded, there is no line
		const segment = ({ p0, p1 }) => (p1.parsed.x - p0.parsed.x > PERIODS[this.period].gap ? "transparent" : undefined);
		const style = bars ? { borderRadius: 3, maxBarThickness: 28 } : {
			borderWidth: 2, pointRadius: ({ dataset }) => (dataset.data.length < 3 ? 3 : 0), pointHitRadius: 12, clip: 6, tension: 0.25, fill: true,
			segment: { borderColor: segment, backgroundColor: segment }
		};
		const title = (items) => (items.length === 0 ? "" : bars ? `${items[0].label}, UTC` : time(items[0].parsed.x));
		return {
			type: bars ? "bar" : "line",
			data: { labels: [], datasets: fields.map(([, label, name]) => ({ label, data: [], ...style, ...colors(name, bars) })) },
			options: {
				animation: false, responsive: true, maintainAspectRatio: false,
				interaction: { mode: "index", intersect: false },
				plugins: {
					legend: { position: "bottom", labels: { usePointStyle: true, boxHeight: 7, boxWidth: 7 } },
					tooltip: { callbacks: { title, label: (item) => ` ${item.dataset.label}: ${text(item.parsed.y)}${this.unit()}` } }
				},
				scales: {
					x: bars ? { ticks: { autoSkip: true, maxTicksLimit: 8, maxRotation: 0 }, grid: { display: false } }
						: { type: "linear", afterBuildTicks: (axis) => { axis.ticks = timeTicks(axis); }, ticks: { maxRotation: 0, autoSkip: true, callback: tickLabel }, grid: { display: false } },
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
		const bars = this.period === "days";
		SERIES[this.series].fields.forEach(([, , name], i) => Object.assign(this.chart.data.datasets[i], colors(name, bars)));
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
