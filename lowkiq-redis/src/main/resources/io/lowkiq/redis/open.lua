-- Opens a shard that was closed for a removal that was canceled; or only looks whether it is closed.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 the epoch of the closing to undo, or '' to only look
-- Returns the epoch of the closing if the shard is closed now, else 0.
-- Keeps: a later closing than the given one stands.

--@include shard
--@include owner

assert(#ARGV == 2, 'two arguments expected')

if meta.closed and tonumber(ARGV[2]) == meta.epoch then
	meta.closed = false
	writeThoughFull()
	writeMeta()
end
return { meta.closed and meta.epoch or 0 }
