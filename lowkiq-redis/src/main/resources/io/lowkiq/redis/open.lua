-- Opens a shard that is closed.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
-- Returns 1 if it was closed, else 0.
-- Keeps: everything but that mark.

--@include shard

assert(#ARGV == 1, 'one argument expected')

readMeta()
if not meta.closed then
	return { 0 }
end
meta.closed = false
writeMeta()
return { 1 }
