-- Deletes queued jobs: the named ones, or those with retryCount of 0 or more, the smallest retryCount first.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 the ids, packed; or '' for all that failed
--       3 the largest number of jobs to delete, of all that failed
-- Returns how many jobs were deleted, and 1 if there is more to do.
-- Keeps: the list 'ready' doesn't grow with jobs that are enqueued and deleted.

--@include shard
--@include ids
--@include entry
--@include morgue
--@include queue
--@include sweep

assert(#ARGV == 3, 'three arguments expected')
local all = ARGV[2] == ''
local ids = all and redis.call('ZRANGE', RETRIES, 0, assert(tonumber(ARGV[3])) - 1) or readIds(ARGV[2])
checkTypes(ids)

local deleted = 0
for i, entry in ipairs(fields(JOBS, ids)) do
	if entry then
		drop(ids[i], entry)
		deleted = deleted + 1
	elseif all then
		redis.call('ZREM', RETRIES, ids[i])
	end
end
dropVoid(deleted)
return { deleted, all and redis.call('EXISTS', RETRIES) or 0 }
