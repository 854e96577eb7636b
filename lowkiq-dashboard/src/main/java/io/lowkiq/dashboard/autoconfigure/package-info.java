/**
 * Auto-configuration of the dashboard for Spring MVC and WebFlux, on the application's
 * port or that of Actuator. Used by Spring Boot. It knows {@code http}, {@code api} and
 * the types that applications import.
 */
@NullMarked
package io.lowkiq.dashboard.autoconfigure;

import org.jspecify.annotations.NullMarked;
