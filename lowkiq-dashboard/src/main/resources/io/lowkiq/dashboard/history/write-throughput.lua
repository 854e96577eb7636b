-- Writes what a queue has counted, for the present step and day.
-- KEYS[1] hash of steps: place -> "time processed failed"
-- KEYS[2] hash of days: place -> "day first-processed first-failed last-processed last-failed"
-- ARGV[1] time in milliseconds, [2] place of the step, [3] day, [4] number of days kept,
-- ARGV[5] processed, [6] failed
-- Returns 1.
-- Invariant: fields are used in turn, so both hashes keep their size. What a newer version has written for the same step or
-- day, with more numbers, is not overwritten.
local day = assert(tonumber(ARGV[3]), "day")
local kept = assert(tonumber(ARGV[4]), "number of days")
local processed = assert(tonumber(ARGV[5]), "processed")
local failed = assert(tonumber(ARGV[6]), "failed")

local function numbers(place)
	return { string.match(redis.call("HGET", KEYS[2], place) or "", "^(%d+) (%d+) (%d+) (%d+) (%d+)$") }
end

-- Whether a field has more numbers than a form, the first of which is in a range.
local function isNewer(key, place, form, from, to)
	local first = tonumber(string.match(redis.call("HGET", key, place) or "", form .. " ") or "-1")
	return first >= from and first <= to
end

local today = numbers(day % kept)
local yesterday = numbers((day - 1) % kept)
local first = { ARGV[5], ARGV[6] }
if tonumber(today[1] or "-1") == day then
	first = { today[2], today[3] }
elseif tonumber(yesterday[1] or "-1") == day - 1 then
	first = { yesterday[4], yesterday[5] }
end
if processed < tonumber(first[1]) or failed < tonumber(first[2]) then
	-- The counters of the queue started again
	first = { "0", "0" }
end
local now = assert(tonumber(ARGV[1]), "time")
if not isNewer(KEYS[1], ARGV[2], "^(%d+) %d+ %d+", now - 60000, now + 60000) then
	redis.call("HSET", KEYS[1], ARGV[2], ARGV[1] .. " " .. ARGV[5] .. " " .. ARGV[6])
end
redis.call("PEXPIRE", KEYS[1], 1100000)
if not isNewer(KEYS[2], day % kept, "^(%d+) %d+ %d+ %d+ %d+", day, day) then
	redis.call("HSET", KEYS[2], day % kept,
		ARGV[3] .. " " .. first[1] .. " " .. first[2] .. " " .. ARGV[5] .. " " .. ARGV[6])
end
redis.call("PEXPIRE", KEYS[2], kept * 86400000)
return 1
