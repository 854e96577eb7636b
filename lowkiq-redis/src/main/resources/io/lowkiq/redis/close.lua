-- Closes a shard for the removal of its queue: nothing can be enqueued any more, and the shard is free.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 the session of its owner, if that has ended, or ''
--       3 '1' to close it only if there is no job in it
-- Returns 0 if it is closed; 1 if another session owns it; 2 if there are jobs, or a follow-up waits in it.
-- Keeps: a closed shard is free, and a call of its last owner changes nothing (I6). Each closing has an epoch of its own,
-- so that a late call to open.lua doesn't undo a later closing.

--@include shard
--@include owner

assert(#ARGV == 3, 'three arguments expected')
local ended, ifEmpty = ARGV[2], ARGV[3] == '1'

if meta.session ~= '' and meta.session ~= ended then
	return { 1 }
end
-- All but hints and indexes
local isIndex = { [META] = true, [READY] = true, [DELAYED] = true, [SUSPECTS] = true, [RETRIES] = true,
	[MORGUE_TIMES] = true, [FOLLOW_UPS] = true, [RESTING] = true, [VOID] = true, [TURNS] = true }
if ifEmpty and (tonumber(redis.call('ZREVRANGE', FOLLOW_UPS, '0', '0', 'WITHSCORES')[2]) or 0) > 0 then
	return { 2 }
end
for _, key in ipairs(KEYS) do
	if ifEmpty and not isIndex[key] and redis.call('EXISTS', key) == 1 then
		return { 2 }
	end
end
writeThoughFull()
meta.closed, meta.session, meta.since, meta.wake, meta.epoch = true, '', 0, NEVER, meta.epoch + 1
writeMeta()
return { 0 }
