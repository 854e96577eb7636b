-- The list 'ready', and how it is kept from growing with ids that are void.

-- So many void ids are passed over by one call.
local MOST_VOID = 1000

-- When an entry that the list names is due: its performAt if its place is ready, nil if the id is void. An entry that can't
-- be read is due always, so that it is found and buried.
local function readyTime(entry)
	local kind, length = string.byte(entry), #entry
	if kind == PLAIN and length >= 17 or kind and kind >= SINGLE and kind <= MULTI and length >= HEADER then
		if kind ~= PLAIN and string.byte(entry, 18) ~= IS_READY then
			return nil
		end
		local performAt = struct.unpack('>d', entry, 2)
		return performAt == performAt and performAt or NEVER
	end
	return NEVER
end

-- The first ids of the list that count, at most so many.
--   ids, entries, times  the jobs
--   at                   their places in the list, from 1 on
--   read                 how many ids of the list were looked at
--   more                 whether the list goes on after these
local function readReady(wanted)
	local ids, entries, times, at, seen = {}, {}, {}, {}, {}
	local count, read, more = 0, 0, true
	while more and count < wanted and read < wanted + MOST_VOID do
		local size = read == 0 and wanted or math.min(250, wanted + MOST_VOID - read)
		local named = redis.call('LRANGE', READY, read, read + size - 1)
		for i, entry in ipairs(fields(JOBS, named)) do
			local id, time = named[i], entry and readyTime(entry)
			if time and not seen[id] and count < wanted then
				count = count + 1
				ids[count], entries[count], times[count], at[count], seen[id] = id, entry, time, read + i, true
			end
		end
		read, more = read + #named, #named == size
	end
	return { ids = ids, entries = entries, times = times, at = at, read = read, more = more }
end

-- Where most of the list is void, drops void ids from its head; jobs among them become delayed, in their order.
local function sweepReady(most)
	if redis.call('LLEN', READY) <= 2 * redis.call('HLEN', JOBS) + 1000 then
		return
	end
	local ids = redis.call('LRANGE', READY, 0, math.min(most, 1000) - 1)
	local entries, times = {}, {}
	for i, entry in ipairs(fields(JOBS, ids)) do
		local time = entry and readyTime(entry)
		if time then
			local job = readQueued(entry)
			if job then
				job.place = IS_DELAYED
				entries[#entries + 1] = ids[i]
				entries[#entries + 1] = writeEntry(job, string.sub(entry, job.body))
			end
			times[#times + 1] = exact(time)
			times[#times + 1] = ids[i]
		end
	end
	each('HSET', JOBS, entries)
	each('ZADD', DELAYED, times)
	redis.call('LTRIM', READY, #ids, -1)
end

-- After deleting jobs: drops the void ids at the head of the list.
local function dropVoid(deleted)
	local void = 0
	for _, entry in ipairs(fields(JOBS, redis.call('LRANGE', READY, 0, 99))) do
		if entry and readyTime(entry) then
			break
		end
		void = void + 1
	end
	if void > 0 then
		redis.call('LTRIM', READY, void, -1)
	end
	sweepReady(math.max(10, 2 * deleted))
end
