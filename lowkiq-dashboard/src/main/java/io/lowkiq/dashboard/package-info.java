/**
 * The dashboard without any web framework: what it reads, what it does, and how both
 * become HTTP answers. {@link io.lowkiq.dashboard.Dashboard} is the way in.
 */
@NullMarked
package io.lowkiq.dashboard;

import org.jspecify.annotations.NullMarked;
