-- Deletes queued jobs: the named ones, or failed ones.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 the ids, packed; or '' for jobs with retryCount of 0 or more, the smallest retryCount first
--       3 the maximum number of jobs to delete if no ids are given
-- Returns how many jobs were deleted, and 1 if no ids were given and there is more to do.
-- Keeps: a job leaves with all that names it, but for the list 'ready', which doesn't grow with jobs that are enqueued and
-- deleted.

--@include shard
--@include commands
--@include entry
--@include morgue
--@include queue
--@include remove

assert(#ARGV == 3, 'three arguments expected')
local now, ids = math.floor(clock(ARGV[1])), idsToRemove(ARGV[2], assert(tonumber(ARGV[3])))

checkTypes(ids)
redis.call('LLEN', READY)

local deleted = remove(ids, fields(JOBS, ids), now, function() end)
return { deleted, ARGV[2] == '' and redis.call('EXISTS', RETRIES) or 0 }
