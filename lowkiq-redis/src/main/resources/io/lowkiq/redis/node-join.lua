-- Begins the session of a node.
--
-- KEYS  1 the nodes
-- ARGV  1 the session
--       2 the node's description of itself
--       3 the channel of all nodes
--       4 the message to them
-- Returns the sessions as in lib/nodes.lua.
-- Keeps: a session that has ended never lives again. Works when Redis' memory is full.

--@include nodes

assert(#ARGV == 4, 'four arguments expected')
local session = ARGV[1]

readNodes()
local held = not indexOf(ended, session)
if held then
	writeThoughFull()
	redis.call('HSET', NODES, 'i:' .. session, ARGV[2])
	redis.call('HSETNX', NODES, 'beats:' .. session, 0)
	if not indexOf(members, session) then
		members[#members + 1] = session
	end
	saveMembers()
end
local reply = membership(held, '')
if held then
	publish(ARGV[3], ARGV[4])
end
return reply
