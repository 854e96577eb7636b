/*
 * Preloaded into a Redis, moves its wall clock by the nanoseconds that are in the file named by FAKE_CLOCK. The
 * monotonic clock stays as it is. (libfaketime can't do this: with jemalloc, Redis' allocator, it does not start.)
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const long SECOND = 1000000000L;
static volatile long *offset;

__attribute__((constructor)) static void map(void) {
	const char *name = getenv("FAKE_CLOCK");
	int file = (name != NULL) ? open(name, O_RDONLY) : -1;
	if (file >= 0) {
		void *page = mmap(NULL, sizeof(long), PROT_READ, MAP_SHARED, file, 0);
		offset = (page != MAP_FAILED) ? page : NULL;
		close(file);
	}
}

int clock_gettime(clockid_t clock, struct timespec *now) {
	int result = syscall(SYS_clock_gettime, clock, now);
	if (result == 0 && offset != NULL && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
		long nanos = now->tv_nsec + *offset % SECOND + SECOND;
		now->tv_sec += *offset / SECOND + nanos / SECOND - 1;
		now->tv_nsec = nanos % SECOND;
	}
	return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
	struct timespec precise;
	(void) zone;
	int result = clock_gettime(CLOCK_REALTIME, &precise);
	now->tv_sec = precise.tv_sec;
	now->tv_usec = precise.tv_nsec / 1000;
	return result;
}

time_t time(time_t *where) {
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	if (where != NULL) {
		*where = now.tv_sec;
	}
	return now.tv_sec;
}
