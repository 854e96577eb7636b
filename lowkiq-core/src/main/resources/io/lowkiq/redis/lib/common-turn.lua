-- The common case of a turn, before anything else is defined, because defining functions costs Redis more than running
-- it: all outcomes are Done; all that is due are jobs in line with one payload each, in a shard without suspects, stale
-- entries and jobs in 'later' that are due; or nothing is queued. It does what the rest of the script would do, with as
-- few commands, or leaves everything to it. A number that is an argument is text where it can be: to write a double as
-- text costs more than many a command.
local loaded
do
	local MOST = 1000

	local function commonTurn()
		local jobs, line, busy, meta = KEYS[1], KEYS[2], KEYS[7], KEYS[10]
		local wanted, packed = tonumber(ARGV[6]), ARGV[5]
		local found = redis.call('HMGET', meta, 'session', 'epoch', 'seq', 'since', 'tail', 'top', 'wake', 'paused', 'processed',
				'failed', 'stale', 'popped')
		loaded = found
		if wanted < 1 or wanted > MOST or found[1] ~= ARGV[2] or tonumber(found[2]) ~= tonumber(ARGV[3])
				or tonumber(ARGV[4]) ~= (tonumber(found[3]) or 0) + 1 or found[8] == '1' or (tonumber(found[11]) or 0) ~= 0 then
			return nil
		end

		local done, count, position, length = {}, 0, 1, #packed
		while position <= length do
			local kind, id, behind = struct.unpack('>BI4c0', packed, position)
			if kind ~= 0 or count == MOST then
				return nil
			end
			count, position = count + 1, behind
			done[count] = id
		end

		local ids = redis.call('LRANGE', line, '0', ARGV[6])
		local empty = #ids == 0
		if empty and redis.call('EXISTS', KEYS[3], KEYS[4]) > 0 or redis.call('HLEN', busy) ~= count
				or not empty and redis.call('EXISTS', KEYS[4]) == 1 then
			return nil
		end
		local now = ARGV[1]
		if now == '' then
			local time = redis.call('TIME')
			now = time[1] * 1000 + math.floor(time[2] / 1000)
		else
			now = math.floor(tonumber(now))
		end
		local reply, later, time = { false, false, now, 0 }, nil, nil
		if not empty then
			later = tonumber(redis.call('ZRANGE', KEYS[3], '0', '0', 'WITHSCORES')[2])
			if later and later <= now then
				return nil
			end
			local tail = tonumber(found[5]) or -math.huge
			for i, entry in ipairs(redis.call('HMGET', jobs, unpack(ids))) do
				if not entry or string.byte(entry, 1) ~= 1 or #entry < 17 then
					return nil
				end
				time = struct.unpack('>d', entry, 2)
				if not (time <= now and time <= tail) then
					return nil
				end
				reply[2 * i + 3], reply[2 * i + 4] = ids[i], entry
			end
		end

		local gone = count > 0 and redis.call('HDEL', busy, unpack(done)) or 0
		if gone < count then
			-- Another job is still busy; the rest of the script finds these outcomes applied
			redis.call('HINCRBY', meta, 'processed', gone)
			loaded = nil
			return nil
		end
		local news = { 'seq', ARGV[4] }
		if count > 0 then
			news[3], news[4] = 'processed', string.format('%d', (tonumber(found[9]) or 0) + count)
		end
		local wake = empty and 'inf' or ''
		if wake ~= (found[7] or '') then
			news[#news + 1], news[#news + 2] = 'wake', wake
		end
		if not empty then
			if #ids > wanted then
				reply[1] = time
				ids[#ids], reply[#reply], reply[#reply - 1] = nil, nil, nil
			else
				reply[1] = later or false
			end
			news[#news + 1], news[#news + 2] = 'popped', string.format('%d', (tonumber(found[12]) or 0) + #ids)
			redis.call('LTRIM', line, #ids, '-1')
			redis.call('HDEL', jobs, unpack(ids))
			redis.call('HSET', busy, unpack(reply, 5))
		end
		redis.call('HSET', meta, unpack(news))
		return reply
	end

	assert(#ARGV == 8, 'eight arguments expected')
	local reply = commonTurn()
	if reply then
		return reply
	end
end
