-- Prolongs the session of a node, unless it has ended, and sends it an echo.
--
-- KEYS  those of the nodes
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 the session
--       3 its duration in milliseconds from now on
--       4 what the node tells of itself
--       5 the session's channel
--       6 the echo
-- Returns the sessions as in lib/nodes.lua.
-- Keeps: a session that has ended never lives again.

--@include nodes

assert(#ARGV == 6, 'six arguments expected')
local now = clock(ARGV[1])
local session, duration = ARGV[2], assert(tonumber(ARGV[3]))

load(now)
local held = sessions[session] ~= nil
if held then
	prolong(session, duration, ARGV[4], now)
end
local reply = membership(held, now)
if held then
	redis.pcall('PUBLISH', ARGV[5], ARGV[6])
end
return reply
