-- Counts a heartbeat of a session, unless it has ended, and sends it an echo.
--
-- KEYS  1 the nodes
-- ARGV  1 the session; '' to only read the sessions
--       2 what the node says of itself
--       3 the revision that the caller knows
--       4 the session's channel
--       5 the echo
--       6 the channel of all nodes
--       7 what is sent to them if what the node says of itself has changed
-- Returns the sessions as in lib/nodes.lua.
-- Keeps: a session that has ended never lives again; works when Redis' memory is full.

--@include nodes

assert(#ARGV == 7, 'seven arguments expected')
local session = ARGV[1]

load()
local held, changed = find(members, session), false
if held then
	writeThoughFull()
	redis.call('HINCRBY', NODES, 'beats:' .. session, 1)
	changed = redis.call('HGET', NODES, 'i:' .. session) ~= ARGV[2]
	if changed then
		redis.call('HSET', NODES, 'i:' .. session, ARGV[2])
		saveMembers()
	end
end
local reply = membership(held, ARGV[3])
if held then
	publish(ARGV[4], ARGV[5])
end
if changed then
	publish(ARGV[6], ARGV[7])
end
return reply
