@NullMarked
package io.lowkiq.autoconfigure.outbox;

import org.jspecify.annotations.NullMarked;
