/**
 * Performs payloads against a worker in every way that production may, and compares the
 * end states.
 */
@NullMarked
package io.lowkiq.test.probe;

import org.jspecify.annotations.NullMarked;
