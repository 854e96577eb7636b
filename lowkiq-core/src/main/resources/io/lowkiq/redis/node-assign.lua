-- Records which session is to have which shard.
--
-- KEYS  those of the nodes
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 the version of the assignment
--       3 its text
--       4 the channel of all nodes
--       5 what they are told
-- Returns 1 if it was recorded, 0 if its version is not the one after the recorded one.
-- Keeps: of two nodes that work one out from the same, one wins.

--@include nodes

assert(#ARGV == 5, 'five arguments expected')
local version = assert(tonumber(ARGV[2]), 'not a version')

if (tonumber(redis.call('HGET', ASSIGNMENT, 'version')) or 0) ~= version - 1 then
	return { 0 }
end
redis.call('HSET', ASSIGNMENT, 'version', exact(version), 'table', ARGV[3])
tell(ARGV[4], ARGV[5])
return { 1 }
