/**
 * Work that goes on while a part of Redis is away.
 */
@NullMarked
package io.lowkiq.reliability.outage;

import org.jspecify.annotations.NullMarked;
