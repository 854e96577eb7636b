-- Erases an id: its queued, dead and busy job. A run under way can't be stopped, but however it ends, its payloads don't
-- come back.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 the id
-- Returns 1 if it was queued, 1 if it is busy, 1 if it was dead; else 0.
-- Keeps: an id stays busy until its run has ended (I1), so that the owner's number of busy jobs stays right.

--@include shard
--@include owner
--@include entry
--@include morgue
--@include queue
--@include sweep

assert(#ARGV == 2, 'two arguments expected')
local now, id = math.floor(clock(ARGV[1])), ARGV[2]
checkTypes({ id })
redis.call('LLEN', READY)
local entry, busy = redis.call('HGET', JOBS, id), redis.call('HGET', BUSY, id) and 1 or 0

writeThoughFull()
if entry then
	leaveReady(id, readQueued(entry) and placeOf(entry))
end
deleteQueued(id)
redis.call('ZREM', RESTING, id)
local dead = forgetDead(id)
if busy == 1 then
	redis.call('HSET', BUSY, id, string.char(ERASED))
end
dropVoid(1, now)
return { entry and 1 or 0, busy, dead }
