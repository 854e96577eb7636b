-- Busy jobs that go back to the queue (rule 8).

-- All busy jobs: ids and entries in turn. Touches what restore() will need.
local function readAllBusy()
	local all = readBusyJobs()
	for i = 1, #all, 2 do
		touch(all[i])
		touchDead(all[i])
	end
	return all
end

-- Puts the busy jobs back with their performAt and retryCount. With a limit of crashes each is marked, and one that
-- was marked more often is buried. Returns how many were put back.
local function restore(all, maxCrashes, poisonPill, now)
	local restored = 0
	if #all > 0 then
		redis.call('DEL', BUSY)
		removeTakenInPlace()
	end
	for i = 1, #all, 2 do
		local id = all[i]
		local job, payloads, scores = readBusy(all[i + 1])
		if not job then
			buryRaw(id, all[i + 1], now)
		else
			if maxCrashes then
				job.crashes = job.crashes + 1
			end
			if maxCrashes and job.crashes > maxCrashes then
				bury(id, payloads, scores, poisonPill, now)
			else
				requeue(id, job, payloads, scores, now)
				restored = restored + 1
			end
		end
	end
	return restored
end
