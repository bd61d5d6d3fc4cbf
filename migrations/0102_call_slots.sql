-- Calls that wait for room at their provider, how many a provider takes at once, and how long its models usually take.

-- Null until the provider has answered to the submission.
alter table calls alter column job_id drop not null;
-- The provider's name for the model; null where it has none.
alter table calls add column model text;
-- Since when the call counts for its provider's number; null while it waits for room.
alter table calls add column slot_at timestamptz(3);
update calls set slot_at = submitted_at;

drop index calls_due;
create index calls_due on calls (provider, due_at) where ended_at is null and slot_at is not null;
create index calls_for_room on calls (provider, workspace, submitted_at) where slot_at is null;

create table provider_limits (
  provider text primary key,
  -- Calls at once, as found by 429; null: none was seen.
  calls integer,
  shrunk_at timestamptz(3)
);

create table model_durations (
  provider text not null,
  model text not null,
  usual_ms integer not null,
  primary key (provider, model)
);
