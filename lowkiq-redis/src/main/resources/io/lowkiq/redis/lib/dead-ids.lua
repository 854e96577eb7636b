-- Choosing dead jobs.
--@include ids

-- The packed ids; or, if there are none, some ids of jobs that were buried before a time, the longest dead first, and 1 if
-- there are more of these.
local function chooseDead(packed, limit, before)
	if packed ~= '' then
		return readIds(packed), 0
	end
	local ids = redis.call('ZRANGEBYSCORE', MORGUE_TIMES, '-inf', '(' .. before, 'LIMIT', 0, limit + 1)
	if #ids <= limit then
		return ids, 0
	end
	ids[#ids] = nil
	return ids, 1
end
