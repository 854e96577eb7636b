/**
 * The tools of operators on the storage: actions, erasing, why a job is not running.
 */
@NullMarked
package io.lowkiq.admin.store;

import org.jspecify.annotations.NullMarked;
