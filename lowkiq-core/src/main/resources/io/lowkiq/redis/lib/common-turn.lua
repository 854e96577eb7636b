-- The common case of a turn, before anything else is defined, because defining functions costs Redis more than running
-- it: all outcomes are Done; all that is due are jobs that lie in the line, in a shard without suspects, stale entries
-- and jobs in 'later' that are due; or nothing is due. It does what the rest of the script would do, with as
-- few commands, or leaves everything to it. Tables begin as large as one job needs: letting them grow costs as much as
-- a command.
do
	local MOST = 1000
	-- As in lib/line.lua
	local MANY_VOID = 512
	-- So few void ids may stay when the line is empty
	local FEW_VOID = 16
	local DIGITS = { '0', '1', '2' }
	local call = redis.call

	local function commonTurn()
		local meta = KEYS[1]
		local state = call('GET', meta)
		if not state or #state < STATE_BYTES then
			return nil
		end
		local kind, paused, young, others, current, stale, popped, busyInPlace, processed, seq, _, _, tail, _, _, _, born =
				struct.unpack(STATE, state)
		local epoch, sequence, wanted, _, flags, session = struct.unpack('>ddI4I4BI4c0', ARGV[2])
		if kind ~= STATE_KIND or epoch ~= current or sequence ~= seq + 1 or session ~= string.sub(state, STATE_BYTES + 1)
				or wanted < 1 or wanted > MOST or paused ~= 0 or stale ~= 0 then
			return nil
		end

		local base = string.sub(meta, 1, -5)
		local line = base .. 'line'

		-- All that is busy is done, and lies in the line or else in 'busy'; or nothing is busy
		local count, inHash = 0, false
		if ARGV[3] ~= '' then
			local outcome, number = struct.unpack('>BI4', ARGV[3])
			count = number
			if outcome == 0 and busyInPlace == 1 and #ARGV[3] == 5 + number then
				-- A job that was handed over, by its id
				local element = call('LINDEX', line, '0') or ''
				if string.byte(element, 18) ~= number or string.sub(element, 19, 18 + number) ~= string.sub(ARGV[3], 6) then
					return nil
				end
				count = 1
			elseif outcome ~= 4 then
				return nil
			end
			inHash = busyInPlace == 0
			if inHash and call('HLEN', base .. 'busy') ~= count then
				return nil
			end
		end
		if count ~= busyInPlace and not inHash then
			return nil
		end
		-- A number as an argument costs as much as a command
		local last = busyInPlace + wanted
		local elements = call('LRANGE', line, busyInPlace < 2 and DIGITS[busyInPlace + 1]
				or string.format('%d', busyInPlace), last < 3 and DIGITS[last + 1] or string.format('%d', last))
		local found = #elements
		-- What lies in the line was due when it was pushed, so that the time matters only beside other jobs, or without any
		local now = ARGV[1]
		if now == '' and others == 0 and found > 0 then
			now = tail
		elseif now == '' then
			local time = call('TIME')
			now = time[1] * 1000 + math.floor(time[2] / 1000)
		else
			now = math.floor(tonumber(now))
		end
		local reply, ids, time = { false, false, now, 0, sequence, meta, nil, nil }, others ~= 0 and found > 0 and {}, nil
		for i = 1, found do
			local element = elements[i]
			local behind = 18 + (string.byte(element, 18) or #element)
			if behind > #element then
				return nil
			end
			local kindOfEntry, performAt = struct.unpack('>Bd', element)
			if kindOfEntry ~= 6 or not (performAt <= now and performAt <= tail) then
				return nil
			end
			time = performAt
			if i <= wanted then
				reply[2 * i + 5], reply[2 * i + 6] = false, element
			end
			if ids then
				ids[i] = string.sub(element, 19, behind)
			end
		end
		if others ~= 0 then
			for _, entry in ipairs(ids and call('HMGET', base .. 'jobs', unpack(ids)) or {}) do
				if entry then
					return nil
				end
			end
			local soonest = tonumber(call('ZRANGE', base .. 'later', '0', '0', 'WITHSCORES')[2])
			if soonest and soonest <= now or call('EXISTS', base .. 'suspects', base .. (inHash and 'suspects' or 'busy')) > 0 then
				return nil
			end
			reply[1] = soonest or false
		end

		-- Redis refuses the first write when its memory is full, unless it is one that frees
		if inHash then
			call('DEL', base .. 'busy')
			call('SETRANGE', meta, OTHERS_AT, call('EXISTS', base .. 'jobs', base .. 'later') > 0 and '\1' or '\0')
		elseif count == 1 then
			call('LPOP', line)
		elseif count > 1 then
			call('LTRIM', line, string.format('%d', count), '-1')
		else
			call('PERSIST', meta)
		end
		local poppedBefore = popped
		popped = popped + busyInPlace
		local void = popped - born
		if void >= MANY_VOID or void >= FEW_VOID and found == 0 or void >= 0 and poppedBefore < born then
			local index = base .. 'ids:'
			if void >= FEW_VOID and found == 0 then
				call('UNLINK', index .. '0', index .. '1')
				call('SETRANGE', meta, BORN_AT, struct.pack('>d', popped))
			elseif void >= MANY_VOID then
				young = 1 - young
				call('UNLINK', index .. young)
				call('SETRANGE', meta, YOUNG_AT, string.char(young))
				call('SETRANGE', meta, BORN_AT, struct.pack('>d', popped + call('LLEN', line)))
			else
				call('UNLINK', index .. 1 - young)
			end
		end
		local wake, hand = NEVER, NO_HAND
		if found > wanted then
			reply[1] = time
			found = wanted
		elseif found == 0 then
			wake, hand = reply[1] or math.huge, flags >= 2 and TAKES or NO_HAND
		end
		call('SETRANGE', meta, POPPED_AT, struct.pack('>dddddd', popped, found, processed + count, sequence, hand, wake))
		return reply
	end

	assert(#ARGV == 3, 'three arguments expected')
	local reply = commonTurn()
	if reply then
		return reply
	end
end
