-- Finds the limiters of a provider that have waiting calls with one index lookup each.

create index calls_waiting_limiters on calls (provider, limiter, workspace, submitted_at) where slot_at is null;
drop index calls_waiting;
