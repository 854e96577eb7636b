-- Counts the jobs of a shard, and says who owns it.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
-- Returns the numbers of queued jobs, of retries, of busy, of dead, of delayed jobs and of those on hold, the smallest
-- performAt or nil, processed, failed, 1 if paused, the owner's session or '', its epoch, since when, now, the number of
-- waiting follow-ups.
-- Keeps: writes nothing.

--@include shard
--@include kinds
--@include ready
--@include next

assert(#ARGV == 1, 'one argument expected')
local now = math.floor(clock(ARGV[1]))

load()
local ready = firstReady(1)
local oldest = ready.read < MAX_VOID and ready.time or math.huge
oldest = math.min(oldest, firstTime(DELAYED) or math.huge, firstTime(SUSPECTS) or math.huge)
return {
	redis.call('HLEN', JOBS), redis.call('ZCARD', RETRIES), redis.call('HLEN', BUSY), redis.call('HLEN', MORGUE),
	redis.call('ZCOUNT', DELAYED, '(' .. exact(now), '(+inf'), redis.call('ZCOUNT', DELAYED, '+inf', '+inf'),
	oldest < math.huge and oldest or false, meta.processed, meta.failed, meta.paused and 1 or 0, meta.session,
	meta.epoch, meta.since, now, redis.call('ZCOUNT', FOLLOW_UPS, '(0', '+inf'),
}
