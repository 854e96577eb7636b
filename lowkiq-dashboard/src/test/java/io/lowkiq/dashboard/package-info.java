/**
 * Tests of the dashboard's core.
 */
@NullMarked
package io.lowkiq.dashboard;

import org.jspecify.annotations.NullMarked;
