-- Ends the session of a node.
--
-- KEYS  those of the nodes
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 the session
--       3 the channel of all nodes
--       4 what they are told
-- Returns 1 if it was living, else 0.
-- Keeps: a session that has ended never lives again.

--@include nodes

assert(#ARGV == 4, 'four arguments expected')
local now = clock(ARGV[1])

load(now)
if sessions[ARGV[2]] then
	finish(ARGV[2], now)
	tell(ARGV[3], ARGV[4])
	return { 1 }
end
return { 0 }
