@NullMarked
package io.lowkiq.dashboard.cluster;

import org.jspecify.annotations.NullMarked;
