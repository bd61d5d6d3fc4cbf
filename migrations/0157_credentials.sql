-- Credentials for model providers that people store, with every value that a call may still use.

create table credentials (
  id text primary key,
  -- The workspace that owns the credential; null: the instance.
  workspace text,
  kind text not null check (kind in ('fal', 'replicate', 'openai', 'elevenlabs', 'comfyui')),
  name text not null,
  -- The current value; null once the credential is removed.
  value_id text,
  -- The last characters of the key; null if it is too short to show any.
  hint text,
  is_default boolean not null,
  -- The most that its calls may cost in a day (UTC); null: unlimited.
  daily_usd_limit numeric(12, 4),
  status text not null default 'untested' check (status in ('ok', 'failed', 'untested')),
  error text,
  last_tested_at timestamptz(3),
  last_used_at timestamptz(3),
  created_by integer references users (id),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  -- A removed credential keeps its row, because runs and spending name it.
  removed_at timestamptz(3),
  check ((value_id is null) = (removed_at is not null))
);
create index credentials_owner on credentials (coalesce(workspace, ''), kind) where removed_at is null;
create unique index credentials_default on credentials (coalesce(workspace, ''), kind) where is_default and removed_at is null;

-- Values never change: a call keeps the value that submitted it.
create table credential_values (
  id text primary key,
  credential_id text not null references credentials (id),
  encrypted bytea not null,
  -- Set once the value is no longer the credential's current one.
  retired_at timestamptz(3)
);
create index credential_values_retired on credential_values (retired_at) where retired_at is not null;
create index credential_values_credential on credential_values (credential_id);

-- The credentials that workflows use instead of their workspace's defaults. Copies of a workflow have none.
create table workflow_credentials (
  workflow_id text not null references workflows (id) on delete cascade,
  kind text not null,
  credential_id text not null references credentials (id),
  primary key (workflow_id, kind)
);
create index workflow_credentials_credential on workflow_credentials (credential_id);
