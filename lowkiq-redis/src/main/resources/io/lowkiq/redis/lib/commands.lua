-- The keys of one id or one group, and commands with many arguments.

-- The sorted sets of one id: its queued and its dead payloads by score.
local function payloadsOf(id)
	return BASE .. 'p:' .. id
end

local function deadPayloadsOf(id)
	return BASE .. 'd:' .. id
end

-- The list of one group: ids of its ready jobs.
local function listOf(group)
	return BASE .. 'g:' .. group
end

-- A number as text that reads back as the same double. Redis itself writes numbers with 17 digits, which takes as long as a
-- command does; so scripts give it text, and a whole number is written as one.
local function exact(number)
	local isWhole = number % 1 == 0 and number > -2 ^ 53 and number < 2 ^ 53
	return string.format(isWhole and '%d' or '%.17g', number)
end

-- Maximum number of arguments of a call: Lua's stack holds at most 8,000, and some hosts of Redis refuse more than 3,999
-- arguments of a command.
local CHUNK = 3000

-- Calls a command with any number of arguments, from one of them on, in chunks. Returns the sum of the replies, and the last.
local function inChunks(command, key, arguments, first)
	local sum, last = 0, 0
	for from = first or 1, #arguments, CHUNK do
		last = redis.call(command, key, unpack(arguments, from, math.min(from + CHUNK - 1, #arguments)))
		sum = sum + last
	end
	return sum, last
end

-- HMGET of any number of fields; false for a field that is missing.
local function fields(key, names)
	if #names <= CHUNK then
		return #names > 0 and redis.call('HMGET', key, unpack(names)) or {}
	end
	local values = {}
	for from = 1, #names, CHUNK do
		for _, value in ipairs(redis.call('HMGET', key, unpack(names, from, math.min(from + CHUNK - 1, #names)))) do
			values[#values + 1] = value
		end
	end
	return values
end
