// Talks to the JSON API. All addresses are relative to where this file was loaded from.

export const ROOT = new URL("../", import.meta.url);

const API = new URL("api/v1/", ROOT);

export class ApiError extends Error {
	constructor(status, message) {
		super(message);
		this.status = status;
	}
}

export function queuePath(queue, ...rest) {
	return ["queues", encodeURIComponent(queue), ...rest].join("/");
}

function address(path, parameters) {
	const url = new URL(path, API);
	for (const [name, value] of Object.entries(parameters ?? {})) {
		if (value !== undefined && value !== null && value !== "") {
			url.searchParams.set(name, value);
		}
	}
	return url;
}

async function answer(response) {
	if (response.redirected || !(response.headers.get("content-type") ?? "").includes("json")) {
		if (response.status === 204) {
			return null;
		}
		if (response.ok || response.status === 401) {
			throw new ApiError(401, "You are no longer signed in. Reload the page.");
		}
		throw new ApiError(response.status, response.status === 403 ? "You don't have permission to do this." : `The server responded with status ${response.status}.`);
	}
	const document = await response.json();
	if (!response.ok) {
		const sentence = typeof document.error === "string" && document.error !== "Forbidden" ? document.error : null;
		throw new ApiError(response.status, sentence
			?? (response.status === 403 ? "You don't have permission to do this." : `The server responded with status ${response.status}.`));
	}
	return document;
}

async function request(url, options) {
	let response;
	try {
		response = await fetch(url, { credentials: "same-origin", cache: "no-store", ...options });
	}
	catch {
		throw new ApiError(0, "The server can't be reached.");
	}
	return answer(response);
}

export function get(path, parameters) {
	return request(address(path, parameters), { headers: { Accept: "application/json" } });
}

let session = null;

export async function loadSession() {
	session = await get("session");
	session.mayAct = false;
	if (session.actionsEnabled) {
		try {
			await change("POST", "access");
			session.mayAct = true;
		}
		catch (error) {
			if (error.status !== 403 && error.status !== 401) {
				throw error;
			}
		}
	}
	return session;
}

export function mayAct() {
	return session?.mayAct ?? false;
}

export function change(method, path, body) {
	const headers = { Accept: "application/json", "Content-Type": "application/json", "X-Lowkiq-Request": "1" };
	if (session?.csrf) {
		headers[session.csrf.name] = session.csrf.token;
	}
	return request(address(path), { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
}
