-- Restoring busy jobs to the queue (rule 8).

-- All busy jobs: ids and entries in turn. Checks the keys that restore() needs.
local function readAllBusy()
	local all, ids = redis.call('HGETALL', BUSY), {}
	for i = 1, #all, 2 do
		ids[#ids + 1] = all[i]
	end
	checkTypes(ids)
	return all
end

-- Puts busy jobs back with their performAt and retryCount. If a maximum number of crashes is given, each counts one more,
-- and a job beyond the maximum is buried, unless somebody has put it on hold. Returns how many jobs were put back.
local function restore(all, maxCrashes, poisonPill, now)
	local restored = 0
	redis.call('DEL', BUSY)
	for i = 1, #all, 2 do
		local id = all[i]
		local job, payloads, scores = readBusy(all[i + 1])
		if job and maxCrashes then
			job.crashes = job.crashes + 1
		end
		if not job then
			if string.byte(all[i + 1]) ~= ERASED then
				buryUnreadable(id, all[i + 1], now)
			end
			unblockQueued(id, now)
		elseif maxCrashes and job.crashes > maxCrashes and not job.held then
			bury(id, payloads, scores, { error = poisonPill, producers = job.producers }, now)
			unblockQueued(id, now)
		else
			stayDue(job, now)
			requeue(id, job, payloads, scores, now)
			restored = restored + 1
		end
	end
	return restored
end
