/**
 * Recurring jobs: when they are due, the jobs that wait for that, and what keeps these in
 * the store. The auto-configuration uses it, and finds the schedules of workers. It knows
 * nothing of properties.
 */
@NullMarked
package io.lowkiq.autoconfigure.schedule;

import org.jspecify.annotations.NullMarked;
