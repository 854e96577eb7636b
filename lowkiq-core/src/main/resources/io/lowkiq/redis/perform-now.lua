-- Makes delayed jobs and suspects due now that are not due yet, the named ones or all, and wakes the owner.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 the shard's name, for the wake-up
--       3 what the names of the sessions' channels begin with
--       4 the ids, packed; or '' for all
--       5 the largest number of jobs to change, of all: delayed ones before suspects, those first that are due first
-- Returns how many jobs were changed, and 1 if there is more to do.
-- Keeps: 'delayed' and 'suspects' have the performAt of the entries.

--@include shard
--@include ids
--@include wake
--@include entry

assert(#ARGV == 5, 'five arguments expected')
local now = math.floor(clock(ARGV[1]))
local nowText, limit = exact(now), assert(tonumber(ARGV[5]))

load()
local changed, more = 0, 0

-- Makes jobs of a sorted set due now. One whose entry is missing leaves it; an unreadable one is found by the next fetch.
local function performNow(set, ids)
	for i, entry in ipairs(fields(JOBS, ids)) do
		local job = entry and readQueued(entry)
		if job then
			job.performAt = now
			redis.call('HSET', JOBS, ids[i], writeEntry(job, string.sub(entry, job.body)))
		end
		if entry then
			redis.call('ZADD', set, nowText, ids[i])
		else
			redis.call('ZREM', set, ids[i])
		end
		changed = changed + 1
	end
end

local named = ARGV[4] ~= '' and readIds(ARGV[4])
for _, set in ipairs({ DELAYED, SUSPECTS }) do
	local ids = {}
	if named then
		for _, id in ipairs(named) do
			local performAt = tonumber(redis.call('ZSCORE', set, id))
			if performAt and performAt > now then
				ids[#ids + 1] = id
			end
		end
	else
		ids = redis.call('ZRANGEBYSCORE', set, '(' .. nowText, '+inf', 'LIMIT', 0, limit - changed + 1)
		if #ids > limit - changed then
			ids[#ids] = nil
			more = 1
		end
	end
	performNow(set, ids)
end
if changed > 0 and wakes(now) then
	save()
	publish(ARGV[3] .. meta.session, ARGV[2])
end
return { changed, more }
