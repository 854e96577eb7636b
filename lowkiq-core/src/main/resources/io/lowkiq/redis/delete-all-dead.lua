-- Deletes jobs from the morgue, the longest dead first.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 the most jobs to delete
--       3 only jobs that were buried before this time
-- Returns how many jobs were deleted, and 1 if there is more to do.
-- Keeps: 'morgue', 'morgue-times' and the payload sets name the same ids.

--@include shard
--@include entry
--@include morgue
--@include queue
--@include revive

assert(#ARGV == 3, 'three arguments expected')
local limit, before = assert(tonumber(ARGV[2])), assert(tonumber(ARGV[3]))

local ids = buriedBefore(before, limit)
for _, id in ipairs(ids) do
	touchDead(id)
end
for _, id in ipairs(ids) do
	forget(id)
end
return { #ids, #buriedBefore(before, 1) }
