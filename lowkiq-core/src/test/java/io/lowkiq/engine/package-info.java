@NullMarked
package io.lowkiq.engine;

import org.jspecify.annotations.NullMarked;
