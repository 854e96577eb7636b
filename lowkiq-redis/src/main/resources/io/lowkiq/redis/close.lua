-- Closes a shard whose queue is to be removed, or opens it again. While it is closed, nothing can be enqueued.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 '1' to close it, '' to open it
--       3 the session of its owner, if that has ended, or ''
--       4 '1' if it is closed only when there is no job in it
-- Returns 0 if that was done; 1 if another session owns it; 2 if there are jobs, or something waits that follows one.
-- Keeps: a closed shard is free, and a call of its last owner changes nothing (I6).

--@include shard

assert(#ARGV == 4, 'four arguments expected')
local closes, ended, ifEmpty = ARGV[2] == '1', ARGV[3], ARGV[4] == '1'

load()
if not closes then
	if meta.closed then
		meta.closed = false
		save()
	end
	return { 0 }
end
if meta.session ~= '' and meta.session ~= ended then
	return { 1 }
end
-- What is no hint, and no index
local isIndex = { [META] = true, [READY] = true, [DELAYED] = true, [SUSPECTS] = true, [RETRIES] = true,
	[MORGUE_TIMES] = true, [FOLLOW_UPS] = true }
if ifEmpty and (tonumber(redis.call('ZREVRANGE', FOLLOW_UPS, '0', '0', 'WITHSCORES')[2]) or 0) > 0 then
	return { 2 }
end
for _, key in ipairs(KEYS) do
	if ifEmpty and not isIndex[key] and redis.call('EXISTS', key) == 1 then
		return { 2 }
	end
end
meta.closed, meta.session, meta.since, meta.wake = true, '', 0, NEVER
save()
return { 0 }
