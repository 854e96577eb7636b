@NullMarked
package io.lowkiq.dashboard.history;

import org.jspecify.annotations.NullMarked;
