-- The usual entry of a job, a PLAIN one, as lib/kinds.lua describes it.
local PLAIN, PLAIN_FORMAT, PLAIN_BYTES = 1, '>dd', 17

local function isPlain(entry)
	return string.byte(entry) == PLAIN and #entry >= PLAIN_BYTES
end

local function writePlain(performAt, score, payload)
	return struct.pack('>Bddc0', PLAIN, performAt, score, payload)
end
