-- A job as an entry of the hashes 'jobs' and 'busy' (big-endian):
--   PLAIN   B kind, d performAt, d score, payload            ready, fresh, no crash, no error, one payload
--   SINGLE  header, payload                                  one payload
--   MULTI   header                                           queued; payloads in the sorted set p:<id>
--   TAKEN   header, I4 count, (d score, I4 length, payload)*   busy, several payloads
--   ERASED  B kind                                           busy; nothing is kept of it, so that nothing comes back
--   header: B kind, d performAt, d score (of SINGLE; of TAKEN the largest), B place, i4 retryCount, I4 crashes,
--           B flags (1: there is an error, 2: the first payload can't be read, 4: the job gathers payloads, 8: it has to
--           keep a distance from the last perform, 16: its producers are traced), I4 length, error; and with these flags d
--           since when, d until when it gathers at most, d before when it is not due, the producers as in lib/producers.lua
-- The place says where a queued job is indexed: in the list 'ready', in the sorted sets 'delayed' or 'suspects', or
-- nowhere, because it is behind its own id, which is busy.
local PLAIN, SINGLE, MULTI, TAKEN, ERASED = 1, 2, 3, 4, 5
local IS_READY, IS_DELAYED, IS_SUSPECT, IS_BEHIND = 0, 1, 2, 3
local HEADER, HEADER_FORMAT = 31, '>ddBi4I4BI4'
