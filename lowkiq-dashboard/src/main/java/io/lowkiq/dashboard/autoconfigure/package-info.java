/**
 * Auto-configuration of the dashboard for Spring MVC and WebFlux.
 */
@NullMarked
package io.lowkiq.dashboard.autoconfigure;

import org.jspecify.annotations.NullMarked;
