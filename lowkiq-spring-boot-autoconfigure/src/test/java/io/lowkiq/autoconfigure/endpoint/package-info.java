@NullMarked
package io.lowkiq.autoconfigure.endpoint;

import org.jspecify.annotations.NullMarked;
