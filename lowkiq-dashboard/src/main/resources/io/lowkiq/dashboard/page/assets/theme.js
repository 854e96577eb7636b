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
		toggle() {
			root.dataset.theme = this.isDark() ? "light" : "dark";
			try {
				localStorage.setItem("lowkiq-theme", root.dataset.theme);
			}
			catch {
				// Holds until the page is left
			}
			document.dispatchEvent(new Event("lowkiq-theme"));
		}
	};
})();
