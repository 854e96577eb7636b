-- Puts queued jobs on hold until a person releases them. Payloads that are enqueued for their ids wait with them. A busy job
-- is marked: if it is put back, it is on hold.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 the ids, packed
-- Returns of how many ids a job was put on hold or marked, without those that were before; and 0.
-- Keeps: 'delayed', 'suspects' and 'retries' name the same ids as the entries. A job on hold is no suspect.

--@include shard
--@include owner
--@include commands
--@include ids
--@include entry
--@include morgue
--@include queue

assert(#ARGV == 2, 'two arguments expected')
local ids = readIds(ARGV[2])
checkTypes(ids)
local busy = fields(BUSY, ids)

-- Marks a busy job. Returns whether it was not marked.
local function mark(id, entry)
	local job, payloads, scores = readBusy(entry)
	if not job or job.held then
		return false
	end
	job.performAt = math.huge
	redis.call('HSET', BUSY, id, writeBusy(job, payloads, scores))
	return true
end

local entries, held = fields(JOBS, ids), 0
writeThoughFull()
for i, entry in ipairs(entries) do
	local id, job = ids[i], entry and readQueued(entry)
	local changed = busy[i] and mark(id, busy[i])
	if job and job.performAt ~= math.huge then
		unplace(id, job)
		job.performAt, job.crashes, job.gathers, job.notBefore, job.due = math.huge, 0, nil, nil, nil
		place(id, job, string.sub(entry, job.body), busy[i])
		changed = true
	end
	held = held + (changed and 1 or 0)
end
return { held, 0 }
