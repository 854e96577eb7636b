-- Pauses or resumes a shard; resuming wakes the owner if it waits.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 the shard's name, for the wake-up
--       3 what the names of the sessions' channels begin with
--       4 '1' to pause, '' to resume
-- Returns 1.
-- Keeps: what is busy stays busy.

--@include shard
--@include wake

assert(#ARGV == 4, 'four arguments expected')

load()
meta.paused = ARGV[4] == '1'
local wake = wakes(NEVER)
save()
if wake then
	publish(ARGV[3] .. meta.session, ARGV[2])
end
return { 1 }
