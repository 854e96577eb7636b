/**
 * The types of the dashboard that applications import: how payloads are shown, and to
 * whom. Everything may use them. They know nothing else of the dashboard; its way in is
 * {@link io.lowkiq.dashboard.http.Dashboard}.
 */
@NullMarked
package io.lowkiq.dashboard;

import org.jspecify.annotations.NullMarked;
