-- The common case of a turn, before anything else is defined, because defining functions costs Redis more than running
-- it: all outcomes are Done; all that is due are jobs in line with one payload each, in a shard without suspects, stale
-- entries and jobs in 'later' that are due; or nothing is due. It does what the rest of the script would do, with as
-- few commands, or leaves everything to it. A number that is an argument is text where it can be: to write a double as
-- text costs more than many a command.
do
	local MOST = 1000

	local function commonTurn()
		local line, later, suspects, busy, meta = KEYS[2], KEYS[3], KEYS[4], KEYS[7], KEYS[10]
		local wanted, packed = tonumber(ARGV[6]), ARGV[5]
		local found = redis.call('HMGET', meta, 'session', 'epoch', 'seq', 'tail', 'wake', 'paused', 'processed', 'stale',
				'popped', 'hand')
		if wanted < 1 or wanted > MOST or found[1] ~= ARGV[2] or found[2] ~= ARGV[3]
				or tonumber(ARGV[4]) ~= (tonumber(found[3]) or 0) + 1 or found[6] == '1' or (found[8] or '0') ~= '0' then
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
		local taken = #ids
		local entries = taken > 0 and redis.call('HMGET', KEYS[1], unpack(ids))
		local now = ARGV[1]
		if now == '' then
			local time = redis.call('TIME')
			now = time[1] * 1000 + math.floor(time[2] / 1000)
		else
			now = math.floor(tonumber(now))
		end
		local reply, tail, time = { false, false, now, 0, ARGV[4] .. meta }, tonumber(found[4]) or -math.huge, nil
		for i = 1, taken do
			local entry = entries[i]
			if not entry or string.byte(entry, 1) ~= 1 or #entry < 17 then
				return nil
			end
			time = struct.unpack('>d', entry, 2)
			if not (time <= now and time <= tail) then
				return nil
			end
			reply[2 * i + 4], reply[2 * i + 5] = ids[i], entry
		end

		-- From here on the rest of the script would find the outcomes applied
		local gone = count > 0 and redis.call('HDEL', busy, unpack(done)) or 0
		local wake, hand, soonest = '', '', nil
		if redis.call('EXISTS', busy, later, suspects) > 0 then
			local first = redis.call('ZRANGE', later, '0', '0', 'WITHSCORES')[2]
			soonest = tonumber(first)
			if not soonest or soonest <= now or redis.call('EXISTS', busy, suspects) > 0 then
				if gone > 0 then
					redis.call('HINCRBY', meta, 'processed', gone)
				end
				return nil
			end
			wake, reply[1] = first, soonest
		end
		if taken > 0 then
			wake = ''
			if taken > wanted then
				reply[1] = time
				ids[taken], reply[2 * taken + 5], reply[2 * taken + 4] = nil, nil, nil
				taken = wanted
			end
			redis.call('LTRIM', line, taken, '-1')
			redis.call('HDEL', KEYS[1], unpack(ids))
			redis.call('HSET', busy, unpack(reply, 6))
		else
			wake = soonest and wake or 'inf'
			hand = ARGV[9] == '1' and 'take' or ''
			if count == 0 then
				redis.call('HDEL', meta, 'none')
			end
		end

		local news = { 'seq', ARGV[4] }
		if gone > 0 then
			news[3], news[4] = 'processed', string.format('%d', (tonumber(found[7]) or 0) + gone)
		end
		if taken > 0 then
			news[#news + 1], news[#news + 2] = 'popped', string.format('%d', (tonumber(found[9]) or 0) + taken)
		end
		if wake ~= (found[5] or '') then
			news[#news + 1], news[#news + 2] = 'wake', wake
		end
		if hand ~= (found[10] or '') then
			news[#news + 1], news[#news + 2] = 'hand', hand
		end
		redis.call('HSET', meta, unpack(news))
		return reply
	end

	assert(#ARGV == 9, 'nine arguments expected')
	local reply = commonTurn()
	if reply then
		return reply
	end
end
