// The chart of processed and failed jobs, drawn by Chart.js, with the same as a table beside it.

import { get } from "./api.js";
import { h, replace, setText } from "./dom.js";
import { clock, number, rate, time } from "./format.js";

const SPAN = 1000 * 1000;

// A history that has just begun is not drawn as a sliver
const SHORTEST_SPAN = 100 * 1000;

const MINUTE = 60 * 1000;

const TICK_STEPS = [MINUTE / 3, MINUTE, 3 * MINUTE, 5 * MINUTE, 10 * MINUTE];

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
		this.canvas = h("canvas", { role: "img", "aria-label": "Chart of processed and failed jobs" });
		this.summary = h("p", { class: "muted small-text" });
		this.tableBody = h("tbody");
		this.tableHead = h("tr");
		this.none = h("p", { class: "chart-none" }, "The first points come within 20 seconds.");
		this.box = h("div", { class: "chart none" }, this.canvas, this.none);
		this.buttons = [this.button("recent", "1,000 seconds"), this.button("days", "365 days")];
		this.element = h("section", { class: "card", "aria-labelledby": "chart-title" },
			h("div", { class: "card-head" }, h("h2", { id: "chart-title" }, "Throughput"), this.summary,
				h("div", { class: "segments", role: "group", "aria-label": "Period" }, this.buttons)),
			this.box,
			h("details", { class: "chart-table" }, h("summary", {}, "As a table"),
				h("div", { class: "table-wrap short", tabindex: "0", role: "region", "aria-label": "Throughput as a table" },
					h("table", {}, h("thead", {}, this.tableHead), this.tableBody))));
		this.onTheme = () => this.restyle();
		document.addEventListener("lowkiq-theme", this.onTheme);
		this.media = matchMedia("(prefers-color-scheme: dark)");
		this.media.addEventListener("change", this.onTheme);
	}

	button(period, label) {
		return h("button", {
			type: "button", "aria-pressed": String(period === this.period), "data-period": period,
			onclick: () => this.choose(period)
		}, label);
	}

	choose(period) {
		this.period = period;
		for (const button of this.buttons) {
			button.setAttribute("aria-pressed", String(button.dataset.period === period));
		}
		this.last = 0;
		return this.refresh();
	}

	async refresh() {
		// A point is added every ten seconds: asking more often shows nothing new
		if (this.last && Date.now() - this.last < 5000) {
			return;
		}
		this.last = Date.now();
		const history = await get("history", { period: this.period, queue: this.queue });
		if (history.period === this.period) {
			this.draw(history.points);
		}
	}

	draw(points) {
		const recent = this.period === "recent";
		this.points = points;
		const labels = points.map((point) => new Date(point.at).toISOString().slice(0, 10));
		const processed = points.map((point) => point.processed);
		const failed = points.map((point) => point.failed);
		this.box.classList.toggle("none", points.length === 0);
		setText(this.none, recent ? "The first points come within 20 seconds." : "The first day is being counted.");
		const last = points[points.length - 1];
		setText(this.summary, last ? (recent
			? `${rate(last.processed)} processed/s, ${rate(last.failed)} failed/s`
			: `${number(last.processed)} processed, ${number(last.failed)} failed today`) : "");
		this.canvas.setAttribute("aria-label", `Chart of processed and failed jobs ${recent ? "per second" : "per day"}. ${this.summary.textContent}`);
		replace(this.tableHead, ["Time", recent ? "Processed/s" : "Processed", recent ? "Failed/s" : "Failed"]
			.map((label, i) => h("th", { scope: "col", class: i ? "number" : null }, label)));
		replace(this.tableBody, [...points].reverse().map((point) => h("tr", {},
			h("th", { scope: "row" }, recent ? time(point.at) : new Date(point.at).toISOString().slice(0, 10)),
			h("td", { class: "number" }, rate(point.processed)), h("td", { class: "number" }, rate(point.failed)))));
		if (!window.Chart) {
			return;
		}
		const type = recent ? "line" : "bar";
		if (this.chart && this.chart.config.type !== type) {
			this.chart.destroy();
			this.chart = null;
		}
		if (!this.chart) {
			this.chart = new window.Chart(this.canvas, this.configuration(type));
			this.restyle();
		}
		const now = last ? last.at : Date.now();
		this.chart.data.labels = recent ? [] : labels;
		this.chart.data.datasets[0].data = recent ? points.map((point) => ({ x: point.at, y: point.processed })) : processed;
		this.chart.data.datasets[1].data = recent ? points.map((point) => ({ x: point.at, y: point.failed })) : failed;
		if (recent) {
			const span = Math.min(Math.max(now - (points[0]?.at ?? now), SHORTEST_SPAN), SPAN);
			Object.assign(this.chart.options.scales.x, { min: now - span, max: now });
		}
		this.chart.update("none");
	}

	configuration(type) {
		// One or two points make no line to be seen
		const line = {
			borderWidth: 2, pointRadius: ({ dataset }) => (dataset.data.length < 3 ? 3 : 0), pointHitRadius: 12, clip: 6, tension: 0.25, fill: true
		};
		const bar = { borderRadius: 3, maxBarThickness: 28 };
		return {
			type,
			data: {
				labels: [],
				datasets: [{ label: "Processed", data: [], ...(type === "line" ? line : bar) },
					{ label: "Failed", data: [], ...(type === "line" ? line : bar) }]
			},
			options: {
				animation: false, responsive: true, maintainAspectRatio: false,
				interaction: { mode: "index", intersect: false },
				plugins: {
					legend: { position: "bottom", labels: { usePointStyle: true, boxHeight: 7, boxWidth: 7 } },
					tooltip: { callbacks: { title: (items) => (type === "line" && items.length ? time(items[0].parsed.x) : items[0]?.label ?? ""), label: (item) => ` ${item.dataset.label}: ${rate(item.parsed.y)}${type === "line" ? "/s" : ""}` } }
				},
				scales: {
					x: type === "line"
						? { type: "linear", afterBuildTicks: (axis) => { axis.ticks = timeTicks(axis); }, ticks: { maxRotation: 0, autoSkip: true, callback: tickLabel }, grid: { display: false } }
						: { ticks: { autoSkip: true, maxTicksLimit: 8, maxRotation: 0 }, grid: { display: false } },
					y: { beginAtZero: true, suggestedMax: 1, ticks: { maxTicksLimit: 5, callback: (value) => rate(value) } }
				}
			}
		};
	}

	restyle() {
		if (!this.chart) {
			return;
		}
		const [processed, failed] = this.chart.data.datasets;
		processed.borderColor = color("--chart-processed");
		processed.backgroundColor = color(this.chart.config.type === "line" ? "--chart-processed-fill" : "--chart-processed");
		failed.borderColor = color("--chart-failed");
		failed.backgroundColor = color(this.chart.config.type === "line" ? "--chart-failed-fill" : "--chart-failed");
		const options = this.chart.options;
		options.plugins.legend.labels.color = color("--muted");
		for (const axis of [options.scales.x, options.scales.y]) {
			axis.ticks.color = color("--muted");
			axis.border = { color: color("--line") };
		}
		options.scales.y.grid = { color: color("--line") };
		this.chart.update("none");
	}

	close() {
		document.removeEventListener("lowkiq-theme", this.onTheme);
		this.media.removeEventListener("change", this.onTheme);
		this.chart?.destroy();
	}
}
