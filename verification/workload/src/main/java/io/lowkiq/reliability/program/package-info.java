/** The processes of a chaos run: nodes and producers that write down what they do. */
@NullMarked
package io.lowkiq.reliability.program;

import org.jspecify.annotations.NullMarked;
