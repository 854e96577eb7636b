-- The common case of a push, before anything else is defined, because defining functions costs Redis more than running
-- it: one payload, due at once, with the default score, for an id that is not queued or has several payloads. It does
-- what the rest of the script would do, or leaves everything to it.
local loaded
do
	local function commonPush()
		local jobs, line, meta = KEYS[1], KEYS[2], KEYS[10]
		local flags, _, _, id, payload, behind = struct.unpack('>BddI4c0I4c0', ARGV[4], 1)
		if flags ~= 0 or behind <= #ARGV[4] then
			return nil
		end
		local exactNow = ARGV[1]
		if exactNow == '' then
			local time = redis.call('TIME')
			exactNow = time[1] * 1000 + time[2] / 1000
		else
			exactNow = tonumber(exactNow)
		end
		local now = math.floor(exactNow)
		local found = redis.call('HMGET', meta, 'session', 'epoch', 'seq', 'since', 'tail', 'top', 'wake', 'paused', 'processed',
				'failed', 'stale', 'popped')
		loaded = found
		if exactNow <= (tonumber(found[6]) or -math.huge) then
			return nil
		end
		local entry = redis.call('HGET', jobs, id)
		local score = string.format('%.17g', exactNow)
		if entry then
			if string.byte(entry, 1) ~= 3 or #entry ~= 30 then
				return nil
			end
			local performAt, largest, _, _, _, length = struct.unpack('>ddi4I4BI4', entry, 2)
			if performAt ~= performAt or largest ~= largest or length > 0 then
				return nil
			end
			redis.call('ZADD', string.sub(jobs, 1, -5) .. 'p:' .. id, 'NX', score, payload)
			redis.call('HSET', meta, 'top', score)
			return { 1, now }
		end
		if now < (tonumber(found[5]) or -math.huge) then
			return nil
		end
		local wake = tonumber(found[7])
		local wakes = found[8] ~= '1' and wake and found[1] and found[1] ~= '' and now < wake
		redis.call('HSET', jobs, id, struct.pack('>Bddc0', 1, now, exactNow, payload))
		redis.call('RPUSH', line, id)
		if wakes then
			redis.call('HSET', meta, 'tail', string.format('%d', now), 'top', score, 'wake', '')
			redis.pcall('PUBLISH', ARGV[3] .. found[1], ARGV[2])
		else
			redis.call('HSET', meta, 'tail', string.format('%d', now), 'top', score)
		end
		return { 0, now }
	end

	assert(#ARGV == 4, 'four arguments expected')
	local reply = commonPush()
	if reply then
		return reply
	end
end
