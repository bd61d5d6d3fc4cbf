-- Triggers start runs when something happens: a call, the end of another run, a new item of a feed, a new file.

create table if not exists triggers (
  id text primary key,
  workflow_id text not null,
  -- The creator. Runs have this user's rights.
  user_id integer not null references users on delete cascade,
  workspace text not null,
  kind text not null check (kind in ('hook', 'after', 'feed', 'bucket')),
  name text not null,
  -- JSON text, without secrets.
  config text not null,
  -- JSON text: JSON pointers into the payload by input node id.
  inputs text not null,
  max_credits bigint,
  is_active boolean not null default true,
  -- Why it paused by itself; null: a user paused it, or it is active.
  paused_reason text,
  failures_in_a_row integer not null default 0,
  -- Kind hook: the SHA-256 of the token, and the encrypted secret.
  token_hash bytea unique,
  secret bytea,
  -- Kind after: the workflow that it follows, and the statuses with which its runs end.
  source_id text,
  statuses text[],
  -- Kinds feed and bucket: when to look next, and whether it has looked before.
  look_at timestamptz(3),
  has_baseline boolean not null default false,
  last_run_at timestamptz(3),
  last_execution_id text,
  created_at timestamptz(3) not null default now()
);
create index if not exists triggers_of_workflow on triggers (workflow_id, id);
create index if not exists triggers_of_workspace on triggers (workspace, id);
create index if not exists triggers_of_source on triggers (source_id) where source_id is not null;

-- What a trigger has seen. An item starts at most one run.
create table if not exists trigger_items (
  trigger_id text not null references triggers on delete cascade,
  -- A hash of the webhook id, guid, or key and ETag; the id of the run that ended.
  item text not null,
  -- seen: starts nothing. candidate: a file that may still grow. Then waiting, running and done.
  status text not null check (status in ('seen', 'candidate', 'waiting', 'running', 'done')),
  -- What the item is called in the history.
  label text,
  -- Of a candidate.
  size_bytes bigint,
  -- JSON text of the inputs of the run, until it starts.
  inputs text,
  -- Chosen before the run starts.
  execution_id text,
  seen_at timestamptz(3) not null default now(),
  -- Among items that were seen at the same time.
  position integer not null default 0,
  primary key (trigger_id, item)
);
create index if not exists trigger_items_open on trigger_items (trigger_id, seen_at) where status in ('waiting', 'running');
create index if not exists trigger_items_age on trigger_items (seen_at);

-- The history: the last 100 of each trigger.
create table if not exists trigger_events (
  id bigint generated always as identity primary key,
  trigger_id text not null references triggers on delete cascade,
  at timestamptz(3) not null default now(),
  outcome text not null check (outcome in ('accepted', 'skipped', 'refused')),
  reason text,
  execution_id text
);
create index if not exists trigger_events_of_trigger on trigger_events (trigger_id, id);
