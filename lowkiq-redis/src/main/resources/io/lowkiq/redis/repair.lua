-- Checks some queued jobs of a shard, and repairs stranded ones, which are not in the index or list of their place; wakes the
-- owner.
--
-- KEYS  those of the shard
-- ARGV  1 now in milliseconds, or '' for Redis' own time
--       2 and 3 as in lib/wake.lua
--       4 where the step begins: '0', or what the step before returned
--       5 about how many jobs to look at
-- Returns where the next step begins, '0' at the end; how many jobs it looked at; how many it repaired that said they were
-- delayed, suspects, blocked, and ready; and how many ready ones it left alone because the lists are too long to be read.
-- Keeps: a job that is not ready is blocked if its id is busy; else it is in the index of its place, with its performAt. A
-- ready job has an element that is not void. What can't be read is left alone, since it may be of a later version.

--@include shard
--@include owner
--@include commands
--@include wake
--@include entry
--@include morgue
--@include queue
--@include ready

-- The maximum numbers of groups, and of elements of lists, to read.
local MAX_GROUPS, MAX_ELEMENTS = 1000, 10000

assert(#ARGV == 5, 'five arguments expected')
local now = math.floor(clock(ARGV[1]))

checkTypes({})
local found = redis.call('HSCAN', JOBS, ARGV[4], 'COUNT', ARGV[5])
local ids, entries = {}, {}
for i = 1, #found[2], 2 do
	ids[#ids + 1], entries[#entries + 1] = found[2][i], found[2][i + 1]
end
local busy = fields(BUSY, ids)

-- Whether a job is where it has to be. While the shard is moving, a score may be another one for a while.
local function fits(id, job, isBusy)
	if job.place == IS_READY or job.place == IS_BLOCKED or isBusy then
		return job.place == IS_READY or (job.place == IS_BLOCKED) == (isBusy and true or false)
	end
	local score = tonumber(redis.call('ZSCORE', INDEXES[job.place], id) or nil)
	return score == job.performAt or score and meta.moving
end

-- How many elements each id has in 'ready' and the lists of groups; nil if there are too many.
local function elements()
	local names, counts, left = redis.call('ZRANGE', TURNS, '0', exact(MAX_GROUPS)), {}, MAX_ELEMENTS
	for i = 0, #names do
		local named = redis.call('LRANGE', names[i] and listOf(names[i]) or READY, '0', exact(left))
		left = left - #named
		if left < 0 or i == MAX_GROUPS then
			return nil
		end
		for _, id in ipairs(named) do
			counts[id] = (counts[id] or 0) + 1
		end
	end
	return counts
end

-- Whether a ready job is in no list; false if nobody can tell, too.
local listed, void
local function isUnlisted(id)
	if listed == nil then
		listed, void = elements() or false, voidCounts(ids)
	end
	return listed and (listed[id] or 0) <= (void[id] or 0)
end

local wrong, untold = {}, 0
for i, id in ipairs(ids) do
	local job = readQueued(entries[i])
	local isReady = job and job.place == IS_READY and not busy[i]
	local isLost = isReady and isUnlisted(id)
	untold = untold + (isReady and not listed and 1 or 0)
	if isLost or job and not fits(id, job, busy[i]) then
		wrong[#wrong + 1] = { id = id, job = job, body = string.sub(entries[i], job.body), isBusy = busy[i] }
	end
end

local repaired, soonest = { [IS_DELAYED] = 0, [IS_SUSPECT] = 0, [IS_BLOCKED] = 0, [IS_READY] = 0 }, math.huge
writeThoughFull()
if meta.moving then
	parksAfter, parksUntil = now, meta.clock + longestWait()
end
for _, each in ipairs(wrong) do
	local job = each.job
	repaired[job.place] = repaired[job.place] + 1
	if job.place == IS_BLOCKED and job.due and job.performAt < math.huge then
		job.performAt = math.min(job.performAt, now)
	end
	if job.place ~= IS_READY then
		unplace(each.id, job)
	elseif (listed[each.id] or 0) < (void[each.id] or 0) then
		-- No more can be void than there are, or the id would be passed over when it is ready again
		forgetVoid({ void = { [each.id] = void[each.id] - (listed[each.id] or 0) } })
	end
	place(each.id, job, each.body, each.isBusy)
	soonest = each.isBusy and soonest or math.min(soonest, job.performAt)
end
wake(soonest)
return { found[1], #ids, repaired[IS_DELAYED], repaired[IS_SUSPECT], repaired[IS_BLOCKED], repaired[IS_READY], untold }
