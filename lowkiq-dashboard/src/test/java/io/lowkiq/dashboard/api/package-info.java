@NullMarked
package io.lowkiq.dashboard.api;

import org.jspecify.annotations.NullMarked;
