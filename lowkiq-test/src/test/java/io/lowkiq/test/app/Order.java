package io.lowkiq.test.app;

record Order(long version, String status) {
}
