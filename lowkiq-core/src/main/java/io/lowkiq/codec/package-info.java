/**
 * How payloads become bytes by default: Jackson, with properties in a fixed order.
 * Applications that define a {@link io.lowkiq.PayloadCodec} don't use it. It knows
 * neither storage nor engine.
 */
@NullMarked
package io.lowkiq.codec;

import org.jspecify.annotations.NullMarked;
