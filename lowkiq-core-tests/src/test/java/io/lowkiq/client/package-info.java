@NullMarked
package io.lowkiq.client;

import org.jspecify.annotations.NullMarked;
