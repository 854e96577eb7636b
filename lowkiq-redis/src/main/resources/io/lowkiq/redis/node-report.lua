-- Records what a node does at the moment, unless its session has ended. For people only.
--
-- KEYS  1 the nodes
-- ARGV  1 the session
--       2 what the node does
-- Returns 1 if it was recorded, 0 if the session has ended or never began.

assert(#KEYS == 1 and #ARGV == 2, 'one key and two arguments expected')
local NODES, session = KEYS[1], ARGV[1]

if not redis.call('HGET', NODES, 'beats:' .. session) then
	return { 0 }
end
redis.call('HSET', NODES, 'report:' .. session, ARGV[2])
return { 1 }
