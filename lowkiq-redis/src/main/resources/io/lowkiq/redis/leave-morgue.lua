-- Takes dead jobs out of the morgue: enqueues them again (rule 7) and wakes the owner, or deletes them.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 and 3 as in lib/wake.lua
--       4 '1' to enqueue them, '' to delete them
--       5 the ids, packed; or '' for jobs that were buried before some time, the longest dead first
--       6 the largest number of jobs to take out, of these
--       7 that time
-- Returns how many jobs were taken out, and 1 if there is more to do.
-- Keeps: a payload is never queued and dead at once (I5); 'morgue', 'morgue-times' and the payload sets name the same ids.

--@include shard
--@include ids
--@include wake
--@include entry
--@include morgue
--@include queue

assert(#ARGV == 7, 'seven arguments expected')
local now, enqueues = math.floor(clock(ARGV[1])), ARGV[4] == '1'

load()
local ids, more = nil, 0
if ARGV[5] ~= '' then
	ids = readIds(ARGV[5])
else
	local limit = assert(tonumber(ARGV[6]))
	ids = redis.call('ZRANGEBYSCORE', MORGUE_TIMES, '-inf', '(' .. ARGV[7], 'LIMIT', 0, limit + 1)
	if #ids > limit then
		ids[#ids] = nil
		more = 1
	end
end
checkTypes(ids)
local busy, dead = fields(BUSY, ids), fields(MORGUE, ids)

-- A job on hold stays so. Returns whether the job is due.
local function reEnqueue(id, entry, isBusy)
	local from, to = deadPayloadsOf(id), payloadsOf(id)
	local old, payload = takeQueued(id, now)
	if payload then
		addPayloads(from, { payload }, { old.score })
	end
	if old and not payload then
		unite(to, from)
	elseif redis.call('EXISTS', from) == 1 then
		redis.call('RENAME', from, to)
	end
	local job = { kind = MULTI, score = 0, performAt = now, retry = -1, crashes = 0 }
	job.error, job.producers = readDead(entry)
	job.producers = uniteProducers(job.producers, old and old.producers)
	if old and old.performAt == math.huge then
		job.performAt, job.retry, job.error = old.performAt, old.retry, old.error
	end
	place(id, job, '', isBusy)
	return not isBusy and job.performAt <= now
end

local taken, due = 0, false
for i, id in ipairs(ids) do
	if dead[i] then
		taken = taken + 1
		if enqueues then
			due = reEnqueue(id, dead[i], busy[i]) or due
		end
	end
	redis.call('HDEL', MORGUE, id)
	redis.call('ZREM', MORGUE_TIMES, id)
	redis.call('UNLINK', deadPayloadsOf(id))
end
if due then
	wake(now)
end
return { taken, more }
