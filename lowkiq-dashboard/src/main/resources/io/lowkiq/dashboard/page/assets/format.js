// Numbers, times and sizes for people. All times of the page are of one clock, UTC or local.

const numbers = new Intl.NumberFormat("en-US");
const compact = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });
const rates = new Intl.NumberFormat("en-US", { maximumFractionDigits: 1 });

export const number = (value) => numbers.format(value);
export const short = (value) => (Math.abs(value) < 100000 ? numbers.format(value) : compact.format(value));
export const rate = (value) => rates.format(value);
export const plural = (count, one, many = `${one}s`) => `${number(count)} ${count === 1 ? one : many}`;

export function duration(millis) {
	const ms = Math.max(0, millis);
	if (ms < 1000) {
		return `${Math.round(ms)} ms`;
	}
	const seconds = Math.floor(ms / 1000);
	if (seconds < 60) {
		return `${ms < 10000 ? (ms / 1000).toFixed(1) : seconds} s`;
	}
	if (seconds < 3600) {
		return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
	}
	if (seconds < 86400) {
		return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
	}
	return `${Math.floor(seconds / 86400)} d ${Math.floor((seconds % 86400) / 3600)} h`;
}

// For narrow places
export function shortDuration(millis) {
	return duration(millis).replace(/ min\b/, "m").replace(/(\d) (ms|s|h|d)\b/g, "$1$2").replace(/\.\d(?=s$)/, "");
}

export function bytes(value) {
	let size = value;
	for (const unit of ["B", "KiB", "MiB", "GiB"]) {
		if (size < 1024 || unit === "GiB") {
			return `${unit === "B" ? size : size.toFixed(size < 10 ? 1 : 0)} ${unit}`;
		}
		size /= 1024;
	}
	return String(value);
}

const ZONE = "lowkiq-clock";

function savedZone() {
	try {
		return localStorage.getItem(ZONE);
	}
	catch {
		// No storage: the default holds
		return null;
	}
}

let utc = savedZone() === "utc";

export function switchClock() {
	utc = !utc;
	try {
		localStorage.setItem(ZONE, utc ? "utc" : "local");
	}
	catch {
		// Holds until the page is left
	}
}

// Whether the local clock is UTC all year
export function isLocalUtc() {
	const year = new Date().getFullYear();
	return [0, 6].every((month) => new Date(year, month, 1).getTimezoneOffset() === 0);
}

export function clockName() {
	if (utc) {
		return "UTC";
	}
	const minutes = -new Date().getTimezoneOffset();
	const sign = minutes < 0 ? "−" : "+";
	const rest = Math.abs(minutes) % 60;
	return `UTC${sign}${Math.floor(Math.abs(minutes) / 60)}${rest ? `:${String(rest).padStart(2, "0")}` : ""} local`;
}

export function time(millis) {
	const date = new Date(millis);
	if (Number.isNaN(date.getTime())) {
		return String(millis);
	}
	// A date that says in UTC what the chosen clock shows
	const shown = utc ? date : new Date(date.getTime() - date.getTimezoneOffset() * 60000);
	return shown.toISOString().slice(0, 19).replace("T", " ");
}

// What a field for a time holds, by the chosen clock
export const fieldTime = (millis) => (millis === null ? "" : time(millis).replace(" ", "T").slice(0, 16));

export function fromField(text) {
	const millis = Date.parse(utc ? `${text}Z` : text);
	return Number.isNaN(millis) ? null : millis;
}

export const clock = (millis) => time(millis).slice(11);

const TIMES = /(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) UTC/g;

// The server's sentences have times in UTC. The second time of a day has no date
export function withTimes(sentence) {
	let before = "";
	return sentence.replace(TIMES, (all, day, hour) => {
		const shown = time(Date.parse(`${day}T${hour}Z`));
		const short = shown.startsWith(before.slice(0, 10)) && before ? shown.slice(11) : shown;
		before = shown;
		return short;
	});
}

// After this time without news, the page's clock stands still, as what it shows does
export const STALE = 5000;

let heard = null;

export function hear(now) {
	heard = { now, at: performance.now() };
}

// The store's time, as far as is known
export function now() {
	return heard ? heard.now + Math.min(performance.now() - heard.at, STALE) : Date.now();
}

export function relative(millis) {
	const distance = millis - now();
	return distance > 0 ? `in ${duration(distance)}` : `${duration(-distance)} ago`;
}
