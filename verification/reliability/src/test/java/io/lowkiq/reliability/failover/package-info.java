/** Acknowledged jobs that Redis loses when it fails. */
@NullMarked
package io.lowkiq.reliability.failover;

import org.jspecify.annotations.NullMarked;
