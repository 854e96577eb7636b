@NullMarked
package io.lowkiq.dashboard.jobs;

import org.jspecify.annotations.NullMarked;
