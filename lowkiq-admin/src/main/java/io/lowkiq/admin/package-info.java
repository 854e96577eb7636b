/**
 * What operators do: look at jobs, change them, and remove queues.
 */
@NullMarked
package io.lowkiq.admin;

import org.jspecify.annotations.NullMarked;
