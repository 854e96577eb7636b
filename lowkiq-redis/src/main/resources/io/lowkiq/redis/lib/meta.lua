-- The meta data of a shard: B form, B flags, d epoch, d seq (the last call under this lease), d processed, d failed, d wake
-- (the owner waits for jobs due before this time), d since (when the lease was given), d clock (the time of the owner's last
-- call, or of an enqueue after the clock went back; while the shard is moving, of the last one before), and the owner's
-- session. In the other form, the owner's gathering policy
-- comes before the session: d debounce, d maxWait, d minInterval, I4 maxPayloads, B flags (1: keep only the latest payload, 2:
-- keep the later score of equal payloads, 4: retry now).
--
-- A shard without it is unknown: Redis has forgotten it, or its queue was removed long ago, and perhaps nobody serves it. So
-- nothing is put into it until somebody has read the record of the queue (open.lua).
--
-- Epoch, seq and clock name the last call that the shard knows of. Under an epoch, seq only grows, and so do epochs: an owner
-- that gets smaller ones than before sees that Redis has forgotten calls.
--
-- The flags are 1: paused, 2: closed, because its queue is being removed, 32: moving, as lib/clock.lua describes. Of those
-- that a newer version may set, 4, 8 and 16 have to be understood, and 64 and 128 may be ignored, but are kept. Forms up to
-- 31 are for newer versions, too.
local FORM, META_FORMAT, META_BYTES = 5, '>BBddddddd', 58
local GATHERING_FORM, POLICY_FORMAT, POLICY_BYTES = 6, '>dddI4B', 29
local LAST_FORM, FIRST_NEWER_FLAG, MOVING, FIRST_IGNORED_FLAG = 31, 4, 32, 64
local meta = {
	isMissing = false, newer = false, paused = false, closed = false, moving = false, ignored = 0, epoch = 0, seq = 0,
	processed = 0, failed = 0, wake = NEVER, since = 0, clock = 0, session = '',
}

-- The policy packed at a position; nil if it can't be read.
local function readPolicy(packed, position)
	if #packed < position + POLICY_BYTES - 1 then
		return nil
	end
	local debounce, maxWait, minInterval, maxPayloads, flags = struct.unpack(POLICY_FORMAT, packed, position)
	if not (debounce >= 0 and maxWait >= 0 and minInterval >= 0 and flags <= 7) then
		return nil
	end
	return {
		debounce = debounce, maxWait = maxWait > 0 and maxWait or math.huge, minInterval = minInterval,
		maxPayloads = maxPayloads, keepLatest = flags % 2 == 1, equalLatest = flags % 4 >= 2, retryNow = flags >= 4,
		packed = string.sub(packed, position, position + POLICY_BYTES - 1),
	}
end

-- Reads the meta data. A newer version has written it if it has a later form, or a flag that has to be understood. If it
-- can't be read otherwise, the shard is free; the next lease has a new epoch.
local function readMeta()
	local packed = redis.call('GET', META)
	meta.isMissing = not packed
	if not packed or #packed < META_BYTES then
		return
	end
	local form, flags, epoch, seq, processed, failed, wake, since, last = struct.unpack(META_FORMAT, packed)
	local policy = form == GATHERING_FORM and readPolicy(packed, META_BYTES + 1) or nil
	local rest = flags % FIRST_IGNORED_FLAG
	if form == FORM or form == GATHERING_FORM then
		meta.newer = rest % MOVING >= FIRST_NEWER_FLAG
	else
		meta.newer = form > GATHERING_FORM and form <= LAST_FORM
	end
	local sum = epoch + seq + processed + failed + since + last
	if (form == FORM or policy) and sum == sum and wake == wake then
		meta.paused, meta.closed = rest % 2 == 1, rest % 4 >= 2
		meta.moving, meta.ignored = rest >= MOVING, flags - rest
		meta.epoch, meta.seq, meta.processed = epoch, seq, processed
		meta.failed, meta.wake, meta.since, meta.clock = failed, wake, since, last
		meta.session = string.sub(packed, META_BYTES + 1)
		if policy then
			meta.policy, meta.session = policy, string.sub(meta.session, POLICY_BYTES + 1)
		end
	end
end

local function writeMeta()
	local policy = meta.policy
	local flags = (meta.paused and 1 or 0) + (meta.closed and 2 or 0) + (meta.moving and MOVING or 0) + meta.ignored
	redis.call('SET', META, struct.pack(META_FORMAT, policy and GATHERING_FORM or FORM, flags, meta.epoch, meta.seq,
			meta.processed, meta.failed, meta.wake, meta.since, meta.clock) .. (policy and policy.packed or '') .. meta.session)
end

readMeta()
