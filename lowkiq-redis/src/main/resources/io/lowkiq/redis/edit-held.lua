-- Replaces the first payload of a job on hold by another one, which gets its score.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 the id
--       3 the first payload as the caller knows it
--       4 what takes its place
-- Returns 0 if it was replaced; 1 if the job begins with another payload; else where the job is instead: 2 queued, 3 busy,
-- 4 dead, 5 nowhere.
-- Keeps: the payloads of a job are distinct; an equal one keeps the smaller score.

--@include shard
--@include commands
--@include entry
--@include morgue
--@include edit

assert(#ARGV == 4, 'four arguments expected')
local id, known, replacement = ARGV[2], ARGV[3], ARGV[4]

local entry = redis.call('HGET', JOBS, id)
local job = entry and readQueued(entry)
if not job or job.performAt ~= math.huge then
	return { elsewhere(id) }
end
if job.kind ~= SINGLE then
	return { replaceFirst(payloadsOf(id), known, replacement) }
end
if string.sub(entry, job.body) ~= known then
	return { CHANGED }
end
redis.call('HSET', JOBS, id, writeEntry(job, replacement))
return { EDITED }
