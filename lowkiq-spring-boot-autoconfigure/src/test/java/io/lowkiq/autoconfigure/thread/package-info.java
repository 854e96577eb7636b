@NullMarked
package io.lowkiq.autoconfigure.thread;

import org.jspecify.annotations.NullMarked;
