-- Opens a shard that was closed for a removal that was canceled, or one without 'meta'; or only looks whether it is closed.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 the epoch of the closing to undo; 0 if there was no 'meta'; or '' to only look
--       3 with 0, when there was none, by the clock of the shard
-- Returns the epoch of the closing if the shard is closed now, else 0.
-- Keeps: a later closing than the given one stands. A call that was held back doesn't open a shard that nobody serves any more.

--@include shard
--@include owner

assert(#ARGV == 3, 'three arguments expected')
-- How long a shard without 'meta' can be opened, in milliseconds
local GOOD_FOR = 30000
local epoch, isMissing = tonumber(ARGV[2]), ARGV[2] == '0' and meta.isMissing

if meta.closed and epoch == meta.epoch or isMissing and math.abs(clock(ARGV[1]) - tonumber(ARGV[3])) <= GOOD_FOR then
	meta.closed = false
	writeThoughFull()
	writeMeta()
end
return { meta.closed and meta.epoch or 0 }
