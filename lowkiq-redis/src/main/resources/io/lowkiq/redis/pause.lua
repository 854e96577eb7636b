-- Pauses or resumes a shard; resuming wakes the owner if it waits.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 and 3 as in lib/wake.lua
--       4 '1' to pause, '' to resume
-- Returns 1.
-- Keeps: what is busy stays busy.

--@include shard
--@include wake

assert(#ARGV == 4, 'four arguments expected')

load()
meta.paused = ARGV[4] == '1'
save()
wake(NEVER)
return { 1 }
