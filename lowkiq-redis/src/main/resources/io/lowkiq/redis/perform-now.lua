-- Makes queued jobs due now that are not due yet, the named ones or all, and wakes the owner. With all, no id rests any
-- longer.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 and 3 as in lib/wake.lua
--       4 the ids, packed; or '' for all jobs that are not due, delayed ones before suspects, the earliest first
--       5 the maximum number of jobs to change if no ids are given
-- Returns how many jobs were made due, and 1 if there is more to do.
-- Keeps: 'delayed' and 'suspects' have the performAt of the entries. Jobs on hold stay on hold, and jobs behind a busy
-- one stay behind it.

--@include shard
--@include commands
--@include ids
--@include wake
--@include entry
--@include due

assert(#ARGV == 5, 'five arguments expected')
local now, named, limit = math.floor(clock(ARGV[1])), ARGV[4] ~= '' and readIds(ARGV[4]), assert(tonumber(ARGV[5]))

redis.call('ZCARD', RETRIES)
local chosen, looked, more = {}, 0, 0
for i, set in ipairs({ DELAYED, SUSPECTS }) do
	local ids = {}
	if named then
		ids = idsIn(set, named, function(performAt) return performAt > now and performAt < math.huge end)
	else
		ids = redis.call('ZRANGEBYSCORE', set, '(' .. exact(now), '(+inf', 'LIMIT', 0, limit - looked + 1)
		if #ids > limit - looked then
			ids[#ids] = nil
			more = 1
		end
	end
	chosen[i], looked = { set = set, ids = ids, entries = fields(JOBS, ids) }, looked + #ids
end

local changed = 0
for _, some in ipairs(chosen) do
	changed = changed + makeDue(some.set, some.ids, some.entries, now)
end
if not named then
	redis.call('UNLINK', RESTING)
end
if changed > 0 then
	wake(now)
end
return { changed, more }
