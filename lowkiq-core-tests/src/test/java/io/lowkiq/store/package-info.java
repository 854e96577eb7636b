/**
 * The contract of the storage: what every implementation of {@code io.lowkiq.store} does.
 */
@NullMarked
package io.lowkiq.store;

import org.jspecify.annotations.NullMarked;
