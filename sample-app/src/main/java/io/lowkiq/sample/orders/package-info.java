/** The orders: the HTTP door, the workers, and the database they write. */
@NullMarked
package io.lowkiq.sample.orders;

import org.jspecify.annotations.NullMarked;
