-- Which credential each run and call uses. Limits of calls are kept by credential.

-- JSON object: kind → id of the stored credential that was chosen when the run was accepted. Null: only those of the environment.
alter table executions add column if not exists credentials text;

alter table calls add column credential_id text;
-- The value that submitted the call; it is kept until the call has ended.
alter table calls add column value_id text;
-- Calls with the same limiter count against one limit: those of a stored credential, or of the environment's.
alter table calls add column limiter text generated always as (coalesce(credential_id, provider)) stored;
create index calls_values on calls (value_id) where value_id is not null;
create index calls_credentials on calls (credential_id) where credential_id is not null;
create index calls_slots on calls (limiter) where ended_at is null and slot_at is not null;
create index calls_waiting on calls (limiter, workspace, submitted_at) where slot_at is null;
drop index calls_for_room;
