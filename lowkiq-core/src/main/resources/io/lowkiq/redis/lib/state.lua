-- The state of a shard as it lies in 'meta': one string, because a field of a hash costs Redis more than to unpack this.
-- What a step of the common cases changes lies side by side, so that it writes one range. Big-endian:
--   B kind        STATE_KIND
--   B paused      1 or 0
--   B young       which of the hashes 'ids:0' and 'ids:1' takes new ids, as in lib/line.lua
--   B others      0 if jobs lie in the line only: 'jobs', 'later', 'suspects' and 'busy' are empty; else 1
--   d epoch       of the last lease
--   d stale       how many entries of the line are stale
--   d popped      how many entries were ever removed from the head of the line
--   d taken       so many entries at the head of the line are busy
--   d processed   how many jobs are done, ever
--   d seq         the last sequence number that was applied under the lease
--   d hand        TAKES if the owner that waits takes a job that is handed over; the sequence number before that if one
--                 was handed over since its last call; else NO_HAND
--   d wake        the owner waits for jobs that are due before this; NEVER when it doesn't wait
--   d tail        the largest performAt that ever got in line
--   d top         no score in the shard was ever larger
--   d failed      how many performs failed, ever
--   d since       when the lease was given
--   d born        the position in the line from which on the young hash has the ids
--   and the owner's session; '' when the shard is free
local STATE, STATE_BYTES, STATE_KIND = '>BBBBddddddddddddd', 108, 2
local YOUNG_AT, OTHERS_AT, POPPED_AT, TAKEN_AT, SEQ_AT = '2', '3', '20', '28', '44'
local WAKE_AT, TAIL_AT, TOP_AT, BORN_AT = '60', '68', '76', '100'
local NEVER = -math.huge
local TAKES, NO_HAND = -2, -1
