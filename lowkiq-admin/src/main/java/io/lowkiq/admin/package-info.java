/**
 * The tools of operators: find out why a job is not running, change selected jobs, pause
 * and remove queues. Used by applications, Actuator and the dashboard. It knows the
 * storage only as {@code io.lowkiq.store.inspection}, and not the engine.
 */
@NullMarked
package io.lowkiq.admin;

import org.jspecify.annotations.NullMarked;
