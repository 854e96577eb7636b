-- How long jobs wait by the owner's gathering policy, although the clock may have gone back.

-- How long after now a job may be due that waits only because of the policy.
local function longestWait()
	return meta.policy and math.max(meta.policy.debounce, meta.policy.minInterval) or 0
end

-- Lets a job gather and keep its distance no longer than if it had come now. What waits for a time of its own, or for a
-- retry, still does. Returns whether that changes anything.
local function boundWait(job, now)
	local policy, gathers, notBefore, performAt = meta.policy, job.gathers, job.notBefore, job.performAt
	if not policy or not (gathers or notBefore) or performAt == math.huge then
		return false
	end
	job.gathers = gathers and math.min(gathers, now + policy.maxWait)
	job.notBefore = notBefore and math.min(notBefore, now + policy.minInterval)
	if gathers then
		job.performAt = math.max(math.min(performAt, now + policy.debounce, job.gathers), job.notBefore or NEVER)
	elseif performAt <= notBefore then
		job.performAt = job.notBefore
	end
	job.performAt = math.min(job.performAt, performAt)
	return job.performAt < performAt or job.gathers ~= gathers or job.notBefore ~= notBefore
end
