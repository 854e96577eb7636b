// Numbers, times and sizes for people.

const numbers = new Intl.NumberFormat("en-US");
const compact = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });
const rates = new Intl.NumberFormat("en-US", { maximumFractionDigits: 1 });

export const number = (value) => numbers.format(value);
export const short = (value) => (Math.abs(value) < 100000 ? numbers.format(value) : compact.format(value));
export const rate = (value) => rates.format(value);

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

export function time(millis) {
	const date = new Date(millis);
	if (Number.isNaN(date.getTime())) {
		return String(millis);
	}
	const two = (n) => String(n).padStart(2, "0");
	return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} `
		+ `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

export function clock(millis) {
	return time(millis).slice(11);
}

export function relative(millis, now) {
	const distance = millis - now;
	return distance > 0 ? `in ${duration(distance)}` : `${duration(-distance)} ago`;
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

export const plural = (count, one, many = `${one}s`) => `${number(count)} ${count === 1 ? one : many}`;
