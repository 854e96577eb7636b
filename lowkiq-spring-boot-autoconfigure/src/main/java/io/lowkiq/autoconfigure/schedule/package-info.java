/**
 * Recurring jobs: when they are due, the jobs that wait for that, and what keeps these in
 * the store.
 */
@NullMarked
package io.lowkiq.autoconfigure.schedule;

import org.jspecify.annotations.NullMarked;
