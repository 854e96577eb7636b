-- Deletes dead jobs, the named ones or the longest dead.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 the ids, packed; or '' for jobs that were buried before some time, the longest dead first
--       3 the maximum number of jobs to delete if no ids are given
--       4 that time
-- Returns how many jobs were deleted, and 1 if there is more to do.
-- Keeps: 'morgue', 'morgue-times' and the payload sets name the same ids.

--@include shard
--@include entry
--@include morgue
--@include dead-ids

assert(#ARGV == 4, 'four arguments expected')

local ids, more = chooseDead(ARGV[2], assert(tonumber(ARGV[3])), ARGV[4])
checkTypes(ids)

local deleted = 0
for _, id in ipairs(ids) do
	deleted = deleted + forgetDead(id)
end
return { deleted, more }
