@NullMarked
package io.lowkiq.autoconfigure.kafka;

import org.jspecify.annotations.NullMarked;
