-- Makes delayed jobs and suspects due now that are not due yet, or releases jobs on hold, the named ones or all, and wakes
-- the owner.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 and 3 as in lib/wake.lua
--       4 '1' to release jobs on hold, which begin afresh; '' to make the others due
--       5 the ids, packed; or '' for all
--       6 the largest number of jobs to change, of all: delayed ones before suspects, those first that are due first
-- Returns how many jobs were changed, and 1 if there is more to do.
-- Keeps: 'delayed' and 'suspects' have the performAt of the entries.

--@include shard
--@include ids
--@include wake
--@include entry

assert(#ARGV == 6, 'six arguments expected')
local now, releases = math.floor(clock(ARGV[1])), ARGV[4] == '1'
local nowText, limit = exact(now), assert(tonumber(ARGV[6]))

load()
redis.call('ZCARD', RETRIES)
local named = ARGV[5] ~= '' and readIds(ARGV[5])
local sets, ids, entries, looked, changed, more = { DELAYED, SUSPECTS }, {}, {}, 0, 0, 0
for s, set in ipairs(sets) do
	local found = {}
	if named then
		for _, id in ipairs(named) do
			local performAt = tonumber(redis.call('ZSCORE', set, id))
			if performAt and performAt > now and (performAt == math.huge) == releases then
				found[#found + 1] = id
			end
		end
	else
		found = redis.call('ZRANGEBYSCORE', set, releases and '+inf' or '(' .. nowText, releases and '+inf' or '(+inf',
				'LIMIT', 0, limit - looked + 1)
		if #found > limit - looked then
			found[#found] = nil
			more = 1
		end
	end
	ids[s], entries[s], looked = found, fields(JOBS, found), looked + #found
end

-- Jobs on hold behind their busy ids are in no set.
local behind, fresh = {}, {}
for i, entry in ipairs(releases and named and fields(JOBS, named) or {}) do
	local job = entry and readQueued(entry)
	if job and job.place == IS_BEHIND and job.performAt == math.huge then
		job.performAt, job.retry = now, -1
		fresh[#fresh + 1] = named[i]
		behind[#behind + 1] = named[i]
		behind[#behind + 1] = writeEntry(job, string.sub(entry, job.body))
		changed = changed + 1
	end
end

-- An id whose entry is missing leaves the set; an unreadable one is found by the next fetch.
for s, set in ipairs(sets) do
	for i, entry in ipairs(entries[s]) do
		local id, job = ids[s][i], entry and readQueued(entry)
		if job then
			job.performAt, job.retry, job.gathers, job.notBefore = now, releases and -1 or job.retry, nil, nil
			redis.call('HSET', JOBS, id, writeEntry(job, string.sub(entry, job.body)))
		end
		if entry then
			redis.call('ZADD', set, nowText, id)
			changed = changed + 1
		else
			redis.call('ZREM', set, id)
		end
		if releases then
			redis.call('ZREM', RETRIES, id)
		end
	end
end
each('HSET', JOBS, behind)
each('ZREM', RETRIES, fresh)
if changed > 0 then
	wake(now)
end
return { changed, more }
