-- Puts a payload into the morgue that can't become a queued job.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 d score, I4 length, id, I4 length, payload, I4 length, error
-- Returns how many payloads were buried; or -1, now, and the epoch of the closing if the shard is closed, 0 if it has no 'meta'.
-- Keeps: 'morgue', 'morgue-times' and the payload sets name the same ids. A repetition changes nothing but the time.

--@include shard
--@include entry
--@include morgue

assert(#ARGV == 2, 'two arguments expected')
local now = math.floor(clock(ARGV[1]))
local score, id, payload, error = struct.unpack('>dI4c0I4c0I4c0', ARGV[2])

if meta.closed or meta.isMissing then
	return { -1, now, meta.epoch }
end
checkTypes({ id })
bury(id, { payload }, { score }, { error = error }, now)
return { buried }
