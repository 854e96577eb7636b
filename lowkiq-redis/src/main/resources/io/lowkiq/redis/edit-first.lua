-- Replaces the first payload of a job on hold, or of a dead one, by another one.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 the id
--       3 the first payload as the caller knows it
--       4 what takes its place, with its score
--       5 '1' for the dead job of the id, '' for the one on hold
-- Returns 1 if it was replaced; 0 if there is no such job, or it begins with another payload.
-- Keeps: payloads are distinct; one that is there twice now keeps the smaller score.

--@include shard
--@include entry
--@include morgue

assert(#ARGV == 5, 'five arguments expected')
load()
local id, known, replacement = ARGV[2], ARGV[3], ARGV[4]

-- Replaces the first payload of a sorted set.
local function replaceIn(key)
	local first = redis.call('ZRANGE', key, 0, 0, 'WITHSCORES')
	if first[1] ~= known then
		return { 0 }
	end
	redis.call('ZREM', key, known)
	addPayloads(key, { replacement }, { tonumber(first[2]) })
	return { 1 }
end

if ARGV[5] == '1' then
	return redis.call('HGET', MORGUE, id) and replaceIn(deadPayloadsOf(id)) or { 0 }
end
local entry = redis.call('HGET', JOBS, id)
local job = entry and readQueued(entry)
if not job or job.performAt ~= math.huge then
	return { 0 }
end
if job.kind == SINGLE then
	if string.sub(entry, job.body) ~= known then
		return { 0 }
	end
	redis.call('HSET', JOBS, id, writeEntry(job, replacement))
	return { 1 }
end
return replaceIn(payloadsOf(id))
