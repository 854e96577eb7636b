-- Releases jobs on hold, the named ones or all: they begin again, are due now, and the owner is woken. Of named busy jobs, the
-- mark is removed that puts them on hold when they are put back.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 and 3 as in lib/wake.lua
--       4 the ids, packed; or '' for all jobs on hold that are not behind a busy one
--       5 the maximum number of jobs to release if no ids are given
-- Returns of how many ids a job was released, and 1 if there is more to do.
-- Keeps: 'delayed' and 'retries' name the same ids as the entries. A job on hold is delayed, or behind a busy one.

--@include shard
--@include commands
--@include ids
--@include wake
--@include entry
--@include due

assert(#ARGV == 5, 'five arguments expected')
local now, named, limit = math.floor(clock(ARGV[1])), ARGV[4] ~= '' and readIds(ARGV[4]), assert(tonumber(ARGV[5]))

redis.call('ZCARD', RETRIES)
local ids, more = nil, 0
if named then
	ids = idsIn(DELAYED, named, function(performAt) return performAt == math.huge end)
else
	ids = redis.call('ZRANGEBYSCORE', DELAYED, '+inf', '+inf', 'LIMIT', 0, limit + 1)
	if #ids > limit then
		ids[#ids] = nil
		more = 1
	end
end
local entries = fields(JOBS, ids)

-- Jobs on hold behind their busy ids are in no set, and neither are marked busy ones.
local behind, written, unmarked, only = {}, {}, {}, 0
local queued, busy = fields(JOBS, named or {}), fields(BUSY, named or {})
for i, id in ipairs(named or {}) do
	local job = queued[i] and readQueued(queued[i])
	local isBehind = job and job.place == IS_BLOCKED and job.performAt == math.huge
	if isBehind then
		job.performAt, job.retry, job.due = now, -1, true
		behind[#behind + 1] = id
		written[#written + 1] = id
		written[#written + 1] = writeEntry(job, string.sub(queued[i], job.body))
	end
	local marked, payloads, scores
	if busy[i] then
		marked, payloads, scores = readBusy(busy[i])
	end
	if marked and marked.held then
		marked.performAt = now
		unmarked[#unmarked + 1] = id
		unmarked[#unmarked + 1] = writeBusy(marked, payloads, scores)
		only = only + (isBehind and 0 or 1)
	end
end

local changed = makeDue(DELAYED, ids, entries, now, true) + #behind
inChunks('HSET', BUSY, unmarked)
inChunks('HSET', JOBS, written)
inChunks('ZREM', RETRIES, ids)
inChunks('ZREM', RETRIES, behind)
if changed > 0 then
	wake(now)
end
return { changed + only, more }
