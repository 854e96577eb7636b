/**
 * The dashboard as an HTTP server without a web framework: pages, files, who may call,
 * compression, and JSON. Used by the auto-configuration, for Spring MVC and WebFlux. It
 * knows the API as documents only, and neither jobs nor Redis.
 */
@NullMarked
package io.lowkiq.dashboard.http;

import org.jspecify.annotations.NullMarked;
