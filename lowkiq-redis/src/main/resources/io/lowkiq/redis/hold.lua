-- Puts queued jobs on hold until a person releases them. Payloads that are enqueued for their ids wait with them.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 the ids, packed
-- Returns how many jobs were put on hold, without those that were on hold before; and 0.
-- Keeps: 'delayed', 'suspects' and 'retries' name the same ids as the entries. A job on hold is no suspect.

--@include shard
--@include commands
--@include ids
--@include entry
--@include morgue
--@include queue

assert(#ARGV == 2, 'two arguments expected')
local ids = readIds(ARGV[2])
checkTypes(ids)
local busy = fields(BUSY, ids)

local held = 0
for i, entry in ipairs(fields(JOBS, ids)) do
	local id, job = ids[i], entry and readQueued(entry)
	if job and job.performAt ~= math.huge then
		unplace(id, job)
		job.performAt, job.crashes, job.gathers, job.notBefore, job.due = math.huge, 0, nil, nil, nil
		place(id, job, string.sub(entry, job.body), busy[i])
		held = held + 1
	end
end
return { held, 0 }
