@NullMarked
package io.lowkiq.autoconfigure.schedule;

import org.jspecify.annotations.NullMarked;
