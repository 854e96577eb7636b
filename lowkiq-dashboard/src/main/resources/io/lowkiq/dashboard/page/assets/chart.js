// The history as a chart, drawn by Chart.js, with the same as a table beside it.

import "./chart/chart.umd.min.js";
import { get } from "./api.js";
import { clock, rate, time, utcDay } from "./format.js";
import { html, render } from "./ui.js";

const SECOND = 1000;
const MINUTE = 60 * SECOND;

// A history that has just begun is not drawn as a sliver
const SHORTEST_SPAN = 100 * SECOND;

const TICK_STEPS = [MINUTE / 3, MINUTE, 3 * MINUTE, 5 * MINUTE, 10 * MINUTE];

const SPAN = 1000 * SECOND;

// After a longer time without a point, nothing was recorded
const GAP = 150 * SECOND;

const PERIODS = [["recent", "1,000 seconds"], ["days", "365 days"]];

const FIELDS = [["processed", "Processed"], ["failed", "Failed"]];

// At whole steps, as many as there is room for
function timeTicks({ min, max, maxWidth }) {
	const room = (step) => Math.min(6, maxWidth / (step < MINUTE ? 80 : 50));
	const step = TICK_STEPS.find((each) => (max - min) / each <= room(each)) ?? SPAN;
	const ticks = [];
	for (let value = Math.ceil(min / step) * step; value <= max; value += step) {
		ticks.push({ value });
	}
	return ticks;
}

function tickLabel(value, place, ticks) {
	return ticks.some((tick) => tick.value % MINUTE !== 0) ? clock(value) : clock(value).slice(0, 5);
}

function color(name) {
	return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

export class HistoryChart {
	constructor(queue) {
		this.queue = queue;
		this.period = "recent";
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

	choose(period) {
		this.period = period;
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

	isDays() {
		return this.period === "days";
	}

	render() {
		const points = this.points ?? [];
		const unit = this.unit();
		const last = points.at(-1);
		const days = this.isDays();
		const summary = last ? FIELDS.map(([field, label]) => `${rate(last[field])}${unit} ${label.toLowerCase()}`).join(", ") + (days ? " today, UTC" : "") : "";
		render(html`<div class="card-head"><h2 id="chart-title">Throughput</h2><p class="muted small-text">${summary}</p>
				<div class="segments" role="group" aria-label="Period">${PERIODS.map(([period, label]) => html`<button type="button"
					aria-pressed=${String(period === this.period)} data-period=${period} @click=${() => this.choose(period)}>${label}</button>`)}</div></div>
			<div class="chart ${points.length === 0 ? "none" : ""}"><canvas role="img" aria-label="Chart of processed and failed jobs: ${summary}"></canvas>
				<p class="chart-none">${this.points === null ? "Loading…" : days ? "The first day is being counted." : "The first points come within 20 seconds."}</p></div>
			<details class="chart-table"><summary>As a table</summary>
				<div class="table-wrap short" tabindex="0" role="region" aria-label="Throughput as a table"><table>
					<thead><tr><th scope="col">${days ? "Day, UTC" : "Time"}</th>${FIELDS.map(([, label]) => html`<th scope="col" class="number">${label}${unit}</th>`)}</tr></thead>
					<tbody>${[...points].reverse().map((point) => html`<tr><th scope="row">${days ? utcDay(point.at) : time(point.at)}</th>${FIELDS
						.map(([field]) => html`<td class="number">${rate(point[field])}</td>`)}</tr>`)}</tbody></table></div></details>`, this.element);
	}

	unit() {
		return this.isDays() ? "" : "/s";
	}

	draw() {
		const days = this.isDays();
		if (this.chart && this.drawn !== this.period) {
			this.chart.destroy();
			this.chart = null;
		}
		if (!this.chart) {
			this.drawn = this.period;
			this.chart = new window.Chart(this.element.querySelector("canvas"), this.configuration(days));
			this.style();
		}
		this.chart.data.labels = days ? this.points.map((point) => utcDay(point.at)) : [];
		FIELDS.forEach(([field], i) => {
			this.chart.data.datasets[i].data = this.points.map((point) => (days ? point[field] : { x: point.at, y: point[field] }));
		});
		if (!days) {
			const end = this.points.at(-1)?.at ?? Date.now();
			const length = end - (this.points[0]?.at ?? end);
			Object.assign(this.chart.options.scales.x, { min: end - Math.min(Math.max(length, SHORTEST_SPAN), SPAN), max: end });
		}
		this.chart.update("none");
	}

	configuration(days) {
		// One or two points make no line to be seen; where nothing was recorded, there is no line
		const segment = ({ p0, p1 }) => (p1.parsed.x - p0.parsed.x > GAP ? "transparent" : undefined);
		const style = days ? { borderRadius: 3, maxBarThickness: 28 } : {
			borderWidth: 2, pointRadius: ({ dataset }) => (dataset.data.length < 3 ? 3 : 0), pointHitRadius: 12, clip: 6, tension: 0.25, fill: true,
			segment: { borderColor: segment, backgroundColor: segment }
		};
		const title = (items) => (items.length === 0 ? "" : days ? `${items[0].label}, UTC` : time(items[0].parsed.x));
		return {
			type: days ? "bar" : "line",
			data: { labels: [], datasets: FIELDS.map(([, label]) => ({ label, data: [], ...style })) },
			options: {
				animation: false, responsive: true, maintainAspectRatio: false,
				interaction: { mode: "index", intersect: false },
				plugins: {
					legend: { position: "bottom", labels: { usePointStyle: true, boxHeight: 7, boxWidth: 7 } },
					tooltip: { callbacks: { title, label: (item) => ` ${item.dataset.label}: ${rate(item.parsed.y)}${this.unit()}` } }
				},
				scales: {
					x: days ? { ticks: { autoSkip: true, maxTicksLimit: 8, maxRotation: 0 }, grid: { display: false } }
						: { type: "linear", afterBuildTicks: (axis) => { axis.ticks = timeTicks(axis); }, ticks: { maxRotation: 0, autoSkip: true, callback: tickLabel }, grid: { display: false } },
					y: { beginAtZero: true, suggestedMax: 1, ticks: { maxTicksLimit: 5, callback: (value) => rate(value) } }
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
		FIELDS.forEach(([field], i) => Object.assign(this.chart.data.datasets[i],
			{ borderColor: color(`--chart-${field}`), backgroundColor: color(`--chart-${field}${this.isDays() ? "" : "-fill"}`) }));
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
