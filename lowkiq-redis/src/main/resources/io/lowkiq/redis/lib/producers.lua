-- The traced producers of a job (big-endian): B the maximum number to keep, I4 how many more there were, I2 how many follow,
-- c25 each: 16 bytes of the trace id, 8 of the span id, 1 of the flags.
local PRODUCERS_FORMAT, PRODUCERS_HEAD, PRODUCER = '>BI4I2', 7, 25

-- The producers at a position, and the position after them; nil if they can't be read.
local function readProducers(packed, position)
	if #packed < position + PRODUCERS_HEAD - 1 then
		return nil
	end
	local most, more, count = struct.unpack(PRODUCERS_FORMAT, packed, position)
	local first, after = position + PRODUCERS_HEAD, position + PRODUCERS_HEAD + PRODUCER * count
	if #packed < after - 1 then
		return nil
	end
	return { most = most, more = more, traces = string.sub(packed, first, after - 1) }, after
end

local function writeProducers(producers)
	local count = #producers.traces / PRODUCER
	return struct.pack(PRODUCERS_FORMAT, producers.most, math.min(producers.more, 2 ^ 31), count) .. producers.traces
end

local function isAmong(traces, trace)
	local at = string.find(traces, trace, 1, true)
	while at and at % PRODUCER ~= 1 do
		at = string.find(traces, trace, at + 1, true)
	end
	return at
end

-- Unites producers, the former ones first. Either may be nil.
local function uniteProducers(former, latter)
	if not former or not latter then
		return former or latter
	end
	local most, more, traces = math.max(former.most, latter.most), former.more + latter.more, former.traces
	for at = 1, #latter.traces, PRODUCER do
		local trace = string.sub(latter.traces, at, at + PRODUCER - 1)
		if not isAmong(traces, trace) then
			if #traces < PRODUCER * most then
				traces = traces .. trace
			else
				more = more + 1
			end
		end
	end
	return { most = most, more = more, traces = traces }
end
