-- Schedules: a stored request to run a workflow, and when to send it. Each firing is an ordinary execution that names the
-- schedule as its origin.

create table schedules (
  id text primary key,
  workflow_id text not null,
  -- Who created it; its runs have the rights of this user.
  user_id integer not null,
  name text not null,
  -- One of the two is set.
  cron text,
  every_seconds integer,
  time_zone text not null,
  -- JSON text of the inputs by node id.
  inputs text not null,
  -- The credits that each run may cost; null: no limit.
  max_credits bigint,
  -- Which version of the workflow it runs.
  runs_version text not null check (runs_version in ('published', 'current')),
  overlap text not null check (overlap in ('skip', 'queue', 'allow', 'cancel_previous')),
  catch_up text not null check (catch_up in ('latest', 'all', 'none')),
  jitter_seconds integer not null,
  -- Chosen once, at most jitter_seconds, and added to every due time.
  offset_seconds integer not null,
  is_active boolean not null,
  -- Why it paused by itself; null: it is active, or a user paused it.
  paused_reason text check (paused_reason in ('access_lost', 'credits', 'unpublished', 'failures')),
  -- Intervals are counted from here.
  anchor_at timestamptz(3) not null,
  -- Null: it is paused, or it never fires again.
  next_run_at timestamptz(3),
  failures_in_a_row integer not null default 0,
  created_at timestamptz(3) not null default now(),
  check ((cron is null) <> (every_seconds is null))
);
create index schedules_due on schedules (next_run_at) where is_active;
create index schedules_of_workflow on schedules (workflow_id, id);
create index schedules_of_user on schedules (user_id, id);

create table firings (
  id text primary key,
  schedule_id text not null references schedules on delete cascade,
  -- catch_up: missed during a downtime; backfill: requested for a time in the past; manual: requested for now.
  kind text not null check (kind in ('scheduled', 'catch_up', 'backfill', 'manual')),
  due_at timestamptz(3) not null,
  -- starting: its execution is chosen but not accepted yet; waiting: another run of the schedule must end first.
  outcome text not null check (outcome in ('starting', 'waiting', 'accepted', 'skipped', 'refused')),
  reason text,
  -- Chosen before the run is started.
  execution_id text,
  attempts integer not null default 1,
  -- While it is starting: when another process tries.
  retry_at timestamptz(3),
  accepted_at timestamptz(3),
  -- When its run ended, once the schedule has taken note of it.
  ended_at timestamptz(3)
);
-- No due time fires twice.
create unique index firings_due on firings (schedule_id, due_at) where kind in ('scheduled', 'catch_up');
create index firings_of_schedule on firings (schedule_id, id);
create index firings_accepted on firings (schedule_id, id) where outcome = 'accepted';
create index firings_open on firings (schedule_id)
  where outcome in ('starting', 'waiting') or (outcome = 'accepted' and ended_at is null);
create index firings_starting on firings (retry_at) where outcome = 'starting';
create index firings_age on firings (due_at);
