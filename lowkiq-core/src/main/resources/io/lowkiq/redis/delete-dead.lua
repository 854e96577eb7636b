-- Deletes dead jobs: the named ones, or those that were buried before some time, the longest dead first.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 the ids, packed; or '' for all
--       3 the largest number of jobs to delete, of all
--       4 of all, only jobs that were buried before this time
-- Returns how many jobs were deleted, and 1 if there is more to do.
-- Keeps: 'morgue', 'morgue-times' and the payload sets name the same ids.

--@include shard
--@include ids
--@include entry
--@include morgue
--@include dead

assert(#ARGV == 4, 'four arguments expected')

local ids, more = deadIds(ARGV[2], ARGV[3], ARGV[4])
checkTypes(ids)
local deleted = 0
for i, entry in ipairs(fields(MORGUE, ids)) do
	forget(ids[i])
	deleted = deleted + (entry and 1 or 0)
end
return { deleted, more }
