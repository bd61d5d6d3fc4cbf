-- Accounts, workflows, runs, webhooks and media. Forward only; one transaction.

create table instance (
  key text primary key,
  value text not null
);

create table users (
  id integer generated always as identity primary key,
  email text not null,
  name text not null,
  plan text not null,
  is_author boolean not null default false,
  disabled boolean not null default false,
  active_team_id text,
  created_at timestamptz(3) not null default now()
);
create unique index users_email_key on users (lower(email));

create table teams (
  id text primary key,
  name text not null,
  created_at timestamptz(3) not null default now()
);

create table team_members (
  team_id text not null references teams on delete cascade,
  user_id integer not null references users on delete cascade,
  role text not null check (role in ('OWNER', 'EDITOR', 'VIEWER')),
  created_at timestamptz(3) not null default now(),
  primary key (team_id, user_id)
);
create index team_members_user on team_members (user_id);
alter table users add foreign key (active_team_id) references teams on delete set null;

create table api_keys (
  id text primary key,
  user_id integer not null references users on delete cascade,
  name text not null,
  -- SHA-256 of the whole key; its 256 random bits make a slow hash needless.
  hash bytea not null unique,
  scopes text[] not null,
  expires_at timestamptz(3),
  last_used_at timestamptz(3),
  revoked_at timestamptz(3),
  created_at timestamptz(3) not null default now()
);
create index api_keys_user on api_keys (user_id);

create table folders (
  id text primary key,
  user_id integer not null references users on delete cascade,
  team_id text references teams on delete cascade,
  parent_id text references folders on delete cascade,
  name text not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create index folders_user on folders (user_id);
create index folders_team on folders (team_id) where team_id is not null;
create index folders_parent on folders (parent_id) where parent_id is not null;

create table workflows (
  id text primary key,
  user_id integer not null references users,
  team_id text references teams,
  folder_id text references folders on delete set null,
  -- The current graph is (id, version) of workflow_versions.
  version integer not null,
  name text not null,
  description text,
  tags text[] not null default '{}',
  is_active boolean not null default true,
  link_permission text not null default 'PRIVATE' check (link_permission in ('PRIVATE', 'VIEW', 'DUPLICATE')),
  is_published boolean not null default false,
  published_slug text unique,
  published_at timestamptz(3),
  published_version integer,
  publish_settings jsonb,
  webhook_id text,
  webhook_url text,
  media_id text,
  -- AES-256-GCM of the JSON object of secrets.
  secrets bytea,
  poster text,
  poster_pinned boolean not null default false,
  views bigint not null default 0,
  daily_credit_budget integer,
  last_editor_heartbeat_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  deleted_at timestamptz(3)
);
create index workflows_user on workflows (user_id, updated_at desc, id desc) where deleted_at is null;
create index workflows_team on workflows (team_id, updated_at desc, id desc) where deleted_at is null and team_id is not null;
create index workflows_folder on workflows (folder_id) where folder_id is not null;

create table workflow_versions (
  workflow_id text not null references workflows,
  version integer not null,
  -- The graph as GET sends it: '"nodes":[…],"edges":[…]', without the braces, so that a read is a concatenation.
  graph text not null,
  user_id integer not null,
  created_at timestamptz(3) not null default now(),
  primary key (workflow_id, version)
);

create table workflow_permissions (
  workflow_id text not null references workflows on delete cascade,
  user_id integer not null references users on delete cascade,
  role text not null check (role in ('VIEW', 'EDIT', 'OWNER')),
  created_at timestamptz(3) not null default now(),
  primary key (workflow_id, user_id)
);
create index workflow_permissions_user on workflow_permissions (user_id);

-- Hot: no foreign keys, few indexes. Ids sort by time, so (…, id desc) is newest first.
create table executions (
  id text primary key,
  workflow_id text not null,
  workflow_version integer not null,
  -- Who started it.
  user_id integer not null,
  -- Whose pool it runs and pays on: 'user:7' or 'team_…'.
  workspace text not null,
  status text not null,
  trigger text not null,
  -- inputs, metadata, targets, useCache, timeoutMs, maxCredits as sent; text keeps metadata's key order.
  request text not null,
  -- {url, secret} of the completion webhook; the secret is encrypted.
  webhook text,
  -- Raised by each claim; every later write of a run is conditional on it.
  lease integer not null default 0,
  worker_id text,
  -- Set where a caller of another process waits for news of this run.
  watched boolean not null default false,
  -- Set while the account has its full number of runs under way.
  parked boolean not null default false,
  -- Raised by each node state written; the event id of server-sent events.
  seq integer not null default 0,
  nodes_total integer not null,
  nodes_done integer not null default 0,
  running_ms integer not null default 0,
  wake_at timestamptz(3),
  error text,
  idempotency_key text,
  resumed_from_id text,
  created_at timestamptz(3) not null,
  started_at timestamptz(3),
  finished_at timestamptz(3)
) with (fillfactor = 70);
create index executions_workflow on executions (workflow_id, id desc);
create index executions_user on executions (user_id, id desc);
-- The runs under way: counted by workspace, found by the worker that died.
create index executions_running on executions (workspace, worker_id) where worker_id is not null;
create index executions_parked on executions (workspace, id) where parked;

-- What happened in a run, append-only: each row the node states of one checkpoint, oldest first. The last state of a
-- node is the one that counts; ids of events are seq - (how many follow in the row).
create table execution_steps (
  execution_id text not null,
  -- executions.seq after the last state of the row.
  seq integer not null,
  -- JSON array of engine/types.ts Step.
  steps text not null,
  primary key (execution_id, seq)
);

create table idempotency_keys (
  user_id integer not null,
  workflow_id text not null,
  route text not null,
  key text not null,
  body_hash bytea not null,
  execution_id text not null,
  created_at timestamptz(3) not null default now(),
  primary key (user_id, workflow_id, route, key)
);
create index idempotency_keys_age on idempotency_keys (created_at);

-- The outbox: one row an execution that asked for a webhook, written with its terminal status.
create table deliveries (
  id text primary key,
  execution_id text not null unique,
  user_id integer not null,
  event_id uuid not null,
  event text not null,
  url text not null,
  secret bytea,
  body text not null,
  state text not null default 'pending' check (state in ('pending', 'attempting', 'delivered', 'exhausted')),
  attempts integer not null default 0,
  last_status_code integer,
  next_attempt_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  finished_at timestamptz(3)
);
create index deliveries_age on deliveries (created_at);

create table delivery_attempts (
  delivery_id text not null references deliveries on delete cascade,
  attempt integer not null,
  started_at timestamptz(3) not null,
  duration_ms integer not null,
  status_code integer,
  error text,
  -- The first KB of the answer.
  response text,
  primary key (delivery_id, attempt)
);

create table media (
  id text primary key,
  user_id integer not null,
  workspace text not null,
  name text not null,
  content_type text not null,
  bytes bigint not null,
  sha256 text not null,
  width integer,
  height integer,
  duration double precision,
  origin text not null check (origin in ('upload', 'output')),
  execution_id text,
  created_at timestamptz(3) not null default now()
);
create index media_workspace on media (workspace, id desc);

create table node_cache (
  workspace text not null,
  key bytea not null,
  outputs text not null,
  media_ids text[] not null,
  created_at timestamptz(3) not null default now(),
  primary key (workspace, key)
);
create index node_cache_age on node_cache (created_at);

create table workers (
  id text primary key,
  -- The queue's pool ids, so that jobs of a dead worker can be unlocked.
  pools text[] not null,
  hostname text not null,
  pid integer not null,
  -- Start time of the process in the kernel's words; tells a reused pid from the worker.
  pid_started text not null,
  started_at timestamptz(3) not null default now(),
  heartbeat_at timestamptz(3) not null default now()
);

-- Losing these at a crash costs a minute of counting, so they are not logged.
create unlogged table rate_windows (
  key text primary key,
  window_start bigint not null,
  used integer not null
);
