-- Pauses or resumes a shard. Resuming it wakes the owner.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 and 3 as in lib/wake.lua
--       4 '1' to pause, '' to resume
-- Returns 1.
-- Keeps: busy jobs stay busy.

--@include shard
--@include owner
--@include wake

assert(#ARGV == 4, 'four arguments expected')

meta.paused = ARGV[4] == '1'
-- A full Redis must not keep a queue from being resumed, which frees memory
writeThoughFull()
writeMeta()
wake(NEVER)
return { 1 }
