-- Lists the follow-ups that wait in a shard.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 the number after which they begin
--       3 the maximum number of follow-ups to return
--       4 the maximum number of bytes to return, unless the first follow-up is larger
-- Returns them as lib/waiting.lua does.
-- Keeps: writes nothing.

--@include keys
--@include waiting

assert(#ARGV == 4, 'four arguments expected')
return waitingFollowUps({}, assert(tonumber(ARGV[2])), assert(tonumber(ARGV[3])), assert(tonumber(ARGV[4])))
