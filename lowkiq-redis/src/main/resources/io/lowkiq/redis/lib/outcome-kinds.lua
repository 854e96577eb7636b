-- The kinds of outcomes, which lib/outcomes.lua describes.
local DONE, RETURNED, RETRY, PARTLY_DONE, UNREADABLE, FOLLOW_UP = 0, 1, 2, 3, 4, 5
