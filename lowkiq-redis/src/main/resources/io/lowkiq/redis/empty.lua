-- Deletes everything in a closed shard, in steps. The shard stays closed for some days, to refuse producers that still know
-- the queue.
--
-- KEYS  those of the shard, and the calls that lib/calls.lua counts
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 the maximum number of jobs to delete
--       3 for how many milliseconds the shard stays closed
-- Returns how many jobs were deleted, and 1 if there is more to do; or -1 and 0 if the shard is open.
-- Keeps: the payload sets of an id are deleted with its entry, and the list of a group with its turn, so that none is forgotten.

--@include shard
--@include owner
--@include commands

assert(#ARGV == 3, 'three arguments expected')
local limit = assert(tonumber(ARGV[2]))

if not meta.closed or meta.session ~= '' then
	return { -1, 0 }
end
local groups = redis.call('ZRANGE', TURNS, '0', exact(limit - 1))
writeThoughFull()
for _, group in ipairs(groups) do
	redis.call('UNLINK', listOf(group))
end
inChunks('ZREM', TURNS, groups)
if #groups == limit then
	return { 0, 1 }
end
local queued = redis.call('HRANDFIELD', JOBS, limit)
local dead = redis.call('HRANDFIELD', MORGUE, limit - #queued)
local busy = redis.call('HLEN', BUSY)

local removed = #queued + #dead
for _, id in ipairs(queued) do
	redis.call('UNLINK', payloadsOf(id))
end
for _, id in ipairs(dead) do
	redis.call('UNLINK', deadPayloadsOf(id))
end
if removed == limit then
	inChunks('HDEL', JOBS, queued)
	inChunks('HDEL', MORGUE, dead)
	return { removed, 1 }
end
for _, key in ipairs(KEYS) do
	if key ~= META then
		redis.call('UNLINK', key)
	end
end
meta.seq, meta.processed, meta.failed, meta.clock, meta.policy = 0, 0, 0, 0, nil
meta.paused, meta.moving = false, false
writeMeta()
redis.call('PEXPIRE', META, ARGV[3])
return { removed + busy, 0 }
