-- Removes queued jobs: deletes them, or moves them to the morgue with all their payloads and their error.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 '1' to move them to the morgue, '' to delete them
--       3 the ids, packed; or '' for jobs with retryCount of 0 or more, the smallest retryCount first
--       4 the largest number of jobs to remove, of these
-- Returns how many jobs were removed, and 1 if there is more to do.
-- Keeps: a payload is in exactly one place (I5); the list 'ready' doesn't grow with jobs that are enqueued and removed.

--@include shard
--@include ids
--@include entry
--@include morgue
--@include queue
--@include sweep

assert(#ARGV == 4, 'four arguments expected')
local now, toMorgue, all = math.floor(clock(ARGV[1])), ARGV[2] == '1', ARGV[3] == ''
local ids = all and redis.call('ZRANGE', RETRIES, 0, assert(tonumber(ARGV[4])) - 1) or readIds(ARGV[3])
checkTypes(ids)
redis.call('LLEN', READY)
load()

local removed = 0
for i, entry in ipairs(fields(JOBS, ids)) do
	local id, job = ids[i], entry and readQueued(entry)
	if entry then
		if toMorgue and not job then
			buryUnreadableQueued(id, entry, now)
		elseif toMorgue and job.kind == MULTI then
			buryPayloadSet(id)
			noteBurial(id, job.error, now, job.producers)
		elseif toMorgue then
			bury(id, { string.sub(entry, job.body) }, { job.score }, job.error, now, job.producers)
		end
		drop(id)
		removed = removed + 1
	elseif all then
		redis.call('ZREM', RETRIES, id)
	end
end
dropVoid(removed)
return { removed, all and redis.call('EXISTS', RETRIES) or 0 }
