-- Counts the jobs of a shard, and names its owner.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
-- Returns the number of queued jobs, of retries, of busy, dead and delayed jobs and of jobs on hold; the smallest performAt
-- or nil; the number of processed and of failed jobs; 1 if the shard is paused; the owner's session or '', its epoch, and
-- since when it owns the shard; now; the number of waiting follow-ups; 1 if a newer version has written the shard; the number
-- of suspects, and that of waiting groups; and the smallest performAt of jobs that may start, or nil: not those of a paused
-- shard, nor of parked groups. Then, of each parked group, its name, the length of its list, and the performAt of its first
-- job or nil.
-- Keeps: writes nothing.

--@include keys
--@include meta
--@include commands
--@include kinds
--@include ready
--@include next

assert(#ARGV == 1, 'one argument expected')
local now = math.floor(clock(ARGV[1]))

-- Maximum number of parked groups, and of others, that are looked at.
local MAX_GROUPS = 100

-- Of groups in a range of the order: the smallest performAt among their first jobs, their names, and the performAt of each.
local function firstOfGroups(from, to)
	local groups = redis.call('ZRANGEBYSCORE', TURNS, from, to, 'LIMIT', '0', exact(MAX_GROUPS))
	local ids, times, oldest = {}, {}, math.huge
	for i, group in ipairs(groups) do
		ids[i] = redis.call('LINDEX', listOf(group), '0') or ''
	end
	for i, entry in ipairs(fields(JOBS, ids)) do
		times[i] = entry and readyTime(entry) or false
		oldest = math.min(oldest, times[i] or math.huge)
	end
	return oldest, groups, times
end

local ready = firstReady(1)
local waiting, oldest = redis.call('ZCARD', TURNS), ready.read < MAX_VOID and ready.time or math.huge
oldest = math.min(oldest, firstTime(DELAYED) or math.huge, firstTime(SUSPECTS) or math.huge)
local parked, times, startable = {}, {}, oldest
if waiting > 0 then
	-- Those that were parked under an earlier lease return by themselves
	local lease, ofParked = exact(-math.max(meta.epoch, 1)), math.huge
	startable = math.min(oldest, (firstOfGroups('(' .. lease, '+inf')))
	ofParked, parked, times = firstOfGroups(lease, lease)
	oldest = math.min(startable, ofParked)
end
startable = meta.paused and math.huge or startable
local reply = {
	redis.call('HLEN', JOBS), redis.call('ZCARD', RETRIES), redis.call('HLEN', BUSY), redis.call('HLEN', MORGUE),
	redis.call('ZCOUNT', DELAYED, '(' .. exact(now), '(+inf'), redis.call('ZCOUNT', DELAYED, '+inf', '+inf'),
	oldest < math.huge and oldest or false, meta.processed, meta.failed, meta.paused and 1 or 0, meta.session,
	meta.epoch, meta.since, now, redis.call('ZCOUNT', FOLLOW_UPS, '(0', '+inf'), meta.newer and 1 or 0,
	redis.call('ZCARD', SUSPECTS), waiting, startable < math.huge and startable or false,
}
for i, group in ipairs(parked) do
	local place = #reply
	reply[place + 1], reply[place + 2], reply[place + 3] = group, redis.call('LLEN', listOf(group)), times[i]
end
return reply
