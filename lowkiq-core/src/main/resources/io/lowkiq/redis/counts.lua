-- Counts what lies in a shard, and tells who owns it.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
-- Returns the numbers of queued jobs, of retries, of busy and of dead jobs, the smallest performAt or nil,
-- processed, failed, 1 if paused, the owner's session or '', its epoch, since when, now.
-- Keeps: writes nothing.

--@include shard
--@include entry
--@include line
--@include heads

assert(#ARGV == 1, 'one argument expected')
local now = math.floor(clock(ARGV[1]))

load()
return {
	redis.call('LLEN', LINE) - meta.taken - meta.stale + redis.call('ZCARD', LATER) + redis.call('ZCARD', SUSPECTS),
	redis.call('ZCARD', RETRIES), redis.call('HLEN', BUSY) + meta.taken, redis.call('HLEN', MORGUE),
	earlier(nextDue(now), nextSuspect()) or false, meta.processed, meta.failed, meta.paused and 1 or 0,
	meta.session, meta.epoch, meta.since, now,
}
