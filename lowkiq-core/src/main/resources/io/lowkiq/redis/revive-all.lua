-- Queues jobs up from the morgue (rule 7), the longest dead first, and wakes the owner.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 the shard's name, for the wake-up
--       3 what the names of the sessions' channels begin with
--       4 the most jobs to move
--       5 only jobs that were buried before this time
-- Returns how many jobs were moved, and 1 if there is more to do.
-- Keeps: a payload is queued and dead at once never (I5).

--@include shard
--@include entry
--@include line
--@include morgue
--@include queue
--@include revive

assert(#ARGV == 5, 'five arguments expected')
local now = math.floor(clock(ARGV[1]))
local limit, before = assert(tonumber(ARGV[4])), assert(tonumber(ARGV[5]))

load()
local ids = buriedBefore(before, limit)
touchDeadAndQueued(ids)
for _, id in ipairs(ids) do
	revive(id, now)
end
local more = #buriedBefore(before, 1)
local wake = #ids > 0 and wakes(now)
save()
if wake then
	publish(ARGV[3] .. meta.session, ARGV[2])
end
return { #ids, more }
