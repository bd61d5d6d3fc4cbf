-- The API key that started a run. Null: none, or the run was accepted before this was recorded.
alter table executions add column if not exists key_id text;

-- What the instance spent in a period.
create index credit_entries_charged_at on credit_entries (created_at) where kind = 'charge';
create index credential_charges_created_at on credential_charges (created_at);
