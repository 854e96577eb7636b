// Chooses light or dark before anything is drawn.
"use strict";
(function () {
	const root = document.documentElement;
	let saved = null;
	try {
		saved = localStorage.getItem("lowkiq-theme");
	}
	catch {
		// No storage: the system's choice holds
	}
	if (saved === "light" || saved === "dark") {
		root.dataset.theme = saved;
	}
	window.lowkiqTheme = {
		isDark() {
			return root.dataset.theme ? root.dataset.theme === "dark"
				: matchMedia("(prefers-color-scheme: dark)").matches;
		},
		// From the system's choice to the other one, then to the same one, then back to the system's
		toggle() {
			const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
			const other = system === "dark" ? "light" : "dark";
			const next = !root.dataset.theme ? other : root.dataset.theme === other ? system : null;
			if (next) {
				root.dataset.theme = next;
			}
			else {
				delete root.dataset.theme;
			}
			try {
				if (next) {
					localStorage.setItem("lowkiq-theme", next);
				}
				else {
					localStorage.removeItem("lowkiq-theme");
				}
			}
			catch {
				// Holds until the page is left
			}
			document.dispatchEvent(new Event("lowkiq-theme"));
		}
	};
})();
