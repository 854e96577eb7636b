-- Tells the sessions of the nodes, and ends those whose time is over.
--
-- KEYS  those of the nodes
-- ARGV  1 now in milliseconds, or '' for Redis' own time
-- Returns the sessions as in lib/nodes.lua.
-- Keeps: a session that has ended never lives again.

--@include nodes

assert(#ARGV == 1, 'one argument expected')
local now = clock(ARGV[1])

load(now)
return membership(false, now)
