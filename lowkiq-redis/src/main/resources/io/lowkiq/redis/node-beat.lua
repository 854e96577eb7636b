-- Counts a heartbeat of a session, unless it has ended, and sends an echo to the session.
--
-- KEYS  1 the nodes
-- ARGV  1 the session, or '' to only read the sessions
--       2 the node's description of itself
--       3 the revision that the caller knows
--       4 the session's channel
--       5 the echo
--       6 the channel of all nodes
--       7 the message to them if the description has changed
--       8 now in milliseconds, or '' for Redis' own time; for people only
-- Returns the sessions as in lib/nodes.lua.
-- Keeps: a session that has ended never lives again. Works when Redis' memory is full.

--@include nodes

assert(#ARGV == 8, 'eight arguments expected')
local session = ARGV[1]

readNodes()
local held, changed = indexOf(members, session), false
if held then
	local now = timeOf(ARGV[8])
	writeThoughFull()
	redis.call('HINCRBY', NODES, 'beats:' .. session, 1)
	redis.call('HSET', NODES, 'seen:' .. session, string.format('%.0f', now))
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
