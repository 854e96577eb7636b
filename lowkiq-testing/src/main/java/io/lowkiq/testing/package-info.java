/**
 * Redis for the tests of all modules: a shared server, private servers that a test may
 * stop, kill and freeze, and a cluster.
 */
@NullMarked
package io.lowkiq.testing;

import org.jspecify.annotations.NullMarked;
