-- Deletes the named queued jobs.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 the ids, packed
-- Returns how many jobs were deleted.
-- Keeps: a job has its place in the queue exactly as long as it is queued.

--@include shard
--@include entry
--@include line
--@include morgue
--@include queue
--@include remove

assert(#ARGV == 2, 'two arguments expected')

load()
local ids = readIds(ARGV[2])
for _, id in ipairs(ids) do
	touch(id)
end
local count = 0
for _, id in ipairs(ids) do
	local entry = queuedEntry(id)
	if entry then
		drop(id, readEntry(entry))
		count = count + 1
	end
end
save()
return { count }
