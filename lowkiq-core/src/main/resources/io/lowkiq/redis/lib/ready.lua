-- The list 'ready'.

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
	local count, read, more, most = 0, 0, true, wanted + MOST_VOID
	while more and count < wanted and read < most do
		local size = read == 0 and wanted or math.min(250, most - read)
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
