-- Enqueues dead jobs again (rule 7), the named ones or the longest dead, and wakes the owner.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 and 3 as in lib/wake.lua
--       4 the ids, packed; or '' for jobs that were buried before some time, the longest dead first
--       5 the maximum number of jobs to enqueue if no ids are given
--       6 that time
-- Returns how many jobs were enqueued, and 1 if there is more to do.
-- Keeps: a payload is never queued and dead at once (I5); 'morgue', 'morgue-times' and the payload sets name the same ids.

--@include shard
--@include owner
--@include commands
--@include wake
--@include entry
--@include morgue
--@include queue
--@include dead-ids

assert(#ARGV == 6, 'six arguments expected')
local now = math.floor(clock(ARGV[1]))

local ids, more = chooseDead(ARGV[4], assert(tonumber(ARGV[5])), ARGV[6])
checkTypes(ids)
local busy, dead = fields(BUSY, ids), fields(MORGUE, ids)

-- Unites the dead payloads of an id with the queued ones of a job that was taken; or, by the owner's policy, keeps only the
-- latest payload. Sets the kind and the score of the job, and returns its body.
local function unitePayloads(id, job, old, payload)
	local from, to = deadPayloadsOf(id), payloadsOf(id)
	local top = meta.policy and meta.policy.keepLatest and redis.call('ZREVRANGE', from, '0', '0', 'WITHSCORES') or {}
	if top[1] then
		local latest
		job.kind, latest, job.score = SINGLE, latestOf(id, old, payload, { top[1] }, { tonumber(top[2]) })
		return latest
	end
	job.kind, job.score = MULTI, 0
	if payload then
		addPayloads(from, { payload }, { old.score })
	end
	if old and not payload then
		unite(to, from)
	elseif redis.call('EXISTS', from) == 1 then
		redis.call('RENAME', from, to)
	end
	return ''
end

-- Enqueues the dead job of an id. If the queued job of the id is on hold, it stays on hold. Returns whether the job is due.
local function reEnqueue(id, entry, isBusy)
	local old, payload = takeQueued(id, now)
	local job = { performAt = now, retry = -1, crashes = 0 }
	local body = unitePayloads(id, job, old, payload)
	job.error, job.producers, job.attempts = readDead(entry)
	job.producers = uniteProducers(job.producers, old and old.producers)
	if old and old.performAt == math.huge then
		job.performAt, job.retry, job.error, job.attempts = old.performAt, old.retry, old.error, old.attempts
	end
	job.due = job.performAt <= now
	place(id, job, body, isBusy)
	return not isBusy and job.performAt <= now
end

writeThoughFull()
local enqueued, due = 0, false
for i, id in ipairs(ids) do
	if dead[i] then
		enqueued = enqueued + 1
		due = reEnqueue(id, dead[i], busy[i]) or due
	end
	forgetDead(id)
end
if due then
	wake(now)
end
return { enqueued, more }
