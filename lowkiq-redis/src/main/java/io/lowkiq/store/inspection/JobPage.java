package io.lowkiq.store.inspection;

import java.util.List;

import org.jspecify.annotations.Nullable;

/** A page of jobs, and the token of the next page; null if this is the last one. */
public record JobPage(List<JobView> jobs, @Nullable String next) {
}
