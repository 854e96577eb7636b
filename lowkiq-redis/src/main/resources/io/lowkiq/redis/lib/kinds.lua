-- A job as an entry of the hashes 'jobs' and 'busy' (big-endian):
--   PLAIN       B kind, d performAt, d score, payload           ready, new, no crash, no error, one payload
--   SINGLE      header, payload                                 one payload
--   MULTI       header                                          queued; payloads in the sorted set p:<id>
--   BUSY_MULTI  header, I4 count, (d score, I4 length, payload)*   busy, several payloads
--   ERASED      B kind                                          busy; nothing is kept of it, so that nothing comes back
--   header: B kind, d performAt, d score (of SINGLE; of BUSY_MULTI the largest), B place, i4 retryCount, I4 crashes,
--           B flags (1: there is an error, 2: the first payload can't be read, 4: the job gathers payloads, 8: it is not due
--           before a time, because of the minimum interval, 16: its producers are traced, 32: it is blocked, and was due, 64:
--           its failed attempts are kept), I4 length, error; and with the flags 2, 4, 8, 16 and 64 d since when, d until when
--           it gathers at most, d before when it is not due, the producers as in lib/producers.lua, I4 length and the
--           attempts, which only Java reads
--@include plain
local SINGLE, MULTI, BUSY_MULTI, ERASED = 2, 3, 4, 5
local HEADER_FORMAT, HEADER_BYTES = '>ddBi4I4BI4', 31

-- The performAt of a busy job is infinite if somebody has put it on hold: then it is put back on hold.

-- The places of a queued job: in the list 'ready', in the sorted set 'delayed' or 'suspects', or in no index, because it is
-- blocked by its own id, which is busy.
local IS_READY, IS_DELAYED, IS_SUSPECT, IS_BLOCKED = 0, 1, 2, 3

-- Number of crashes from which on a job is a suspect.
local SUSPECT_AFTER = 2

local INDEXES = { [IS_DELAYED] = DELAYED, [IS_SUSPECT] = SUSPECTS }

-- The place of a queued job, without the rest of its entry; nil if the entry is too short, or of no queued job.
local PLACE_AT = 18
local function placeOf(entry)
	local kind = string.byte(entry)
	if kind == PLAIN then
		return #entry >= PLAIN_BYTES and IS_READY or nil
	end
	return (kind == SINGLE or kind == MULTI) and #entry >= HEADER_BYTES and string.byte(entry, PLACE_AT) or nil
end
