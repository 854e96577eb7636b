-- Begins the session of a node.
--
-- KEYS  those of the nodes
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 the session
--       3 its duration in milliseconds
--       4 what the node tells of itself
--       5 the channel of all nodes
--       6 what they are told
-- Returns the sessions as in lib/nodes.lua.
-- Keeps: a session that has ended never lives again.

--@include nodes

assert(#ARGV == 6, 'six arguments expected')
local now = clock(ARGV[1])
local session, duration = ARGV[2], assert(tonumber(ARGV[3]))

load(now)
local held = not hasEnded(session)
if held then
	prolong(session, duration, ARGV[4], now)
end
local reply = membership(held, now)
tell(ARGV[5], ARGV[6])
return reply
