-- Enqueues dead jobs again (rule 7), the named ones or those that were buried before some time, the longest dead first, and
-- wakes the owner.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 the shard's name, for the wake-up
--       3 what the names of the sessions' channels begin with
--       4 the ids, packed; or '' for all
--       5 the largest number of jobs to move, of all
--       6 of all, only jobs that were buried before this time
-- Returns how many jobs were moved, and 1 if there is more to do.
-- Keeps: a payload is never queued and dead at once (I5).

--@include shard
--@include ids
--@include wake
--@include entry
--@include morgue
--@include queue
--@include dead

assert(#ARGV == 6, 'six arguments expected')
local now = math.floor(clock(ARGV[1]))

load()
local ids, more = deadIds(ARGV[4], ARGV[5], ARGV[6])
checkTypes(ids)
local busy, dead = fields(BUSY, ids), fields(MORGUE, ids)

local function reEnqueue(id, isBusy)
	local from, to = deadPayloadsOf(id), payloadsOf(id)
	local old, payload = takeQueued(id, now)
	if payload then
		addPayloads(from, { payload }, { old.score })
	end
	if old and not payload then
		redis.call('ZUNIONSTORE', to, 2, to, from, 'AGGREGATE', 'MIN')
	elseif redis.call('EXISTS', from) == 1 then
		redis.call('RENAME', from, to)
	end
	forget(id)
	place(id, { kind = MULTI, score = 0, performAt = now, retry = -1, crashes = 0 }, '', isBusy)
end

local moved, due = 0, false
for i, id in ipairs(ids) do
	if dead[i] then
		reEnqueue(id, busy[i])
		moved, due = moved + 1, due or not busy[i]
	else
		redis.call('ZREM', MORGUE_TIMES, id)
	end
end
if due and wakes(now) then
	save()
	publish(ARGV[3] .. meta.session, ARGV[2])
end
return { moved, more }
