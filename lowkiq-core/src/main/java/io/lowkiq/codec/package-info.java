/** How payloads become bytes by default: Jackson, with properties in a fixed order. */
@NullMarked
package io.lowkiq.codec;

import org.jspecify.annotations.NullMarked;
