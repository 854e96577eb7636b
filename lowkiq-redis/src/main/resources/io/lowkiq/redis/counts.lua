-- Counts the jobs of a shard, and names its owner.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
-- Returns the number of queued jobs, of retries, of busy, dead and delayed jobs and of jobs on hold; the smallest performAt
-- or nil; the number of processed and of failed jobs; 1 if the shard is paused; the owner's session or '', its epoch, and
-- since when it owns the shard; now; the number of waiting follow-ups; 1 if a newer version has written the shard; the number
-- of suspects, and that of waiting groups.
-- Keeps: writes nothing.

--@include keys
--@include meta
--@include commands
--@include kinds
--@include ready
--@include next

assert(#ARGV == 1, 'one argument expected')
local now = math.floor(clock(ARGV[1]))

-- Maximum number of groups that are looked at.
local MAX_GROUPS = 100

-- The smallest performAt among the first jobs of the groups whose last turns are longest ago.
local function oldestOfGroups()
	local ids, oldest = {}, math.huge
	for _, group in ipairs(redis.call('ZRANGE', TURNS, 0, MAX_GROUPS - 1)) do
		ids[#ids + 1] = redis.call('LINDEX', listOf(group), 0) or nil
	end
	for _, entry in ipairs(fields(JOBS, ids)) do
		oldest = math.min(oldest, entry and readyTime(entry) or math.huge)
	end
	return oldest
end

local ready = firstReady(1)
local oldest = ready.read < MAX_VOID and ready.time or math.huge
oldest = math.min(oldest, oldestOfGroups())
oldest = math.min(oldest, firstTime(DELAYED) or math.huge, firstTime(SUSPECTS) or math.huge)
return {
	redis.call('HLEN', JOBS), redis.call('ZCARD', RETRIES), redis.call('HLEN', BUSY), redis.call('HLEN', MORGUE),
	redis.call('ZCOUNT', DELAYED, '(' .. exact(now), '(+inf'), redis.call('ZCOUNT', DELAYED, '+inf', '+inf'),
	oldest < math.huge and oldest or false, meta.processed, meta.failed, meta.paused and 1 or 0, meta.session,
	meta.epoch, meta.since, now, redis.call('ZCOUNT', FOLLOW_UPS, '(0', '+inf'), meta.newer and 1 or 0,
	redis.call('ZCARD', SUSPECTS), redis.call('ZCARD', TURNS),
}
