-- Calls to ComfyUI wait for a pool of servers, and move to another server when theirs is down.

alter table calls
  -- The pool for whose servers the call waits, or to which the server of the call belongs; null for other providers.
  add column pool text,
  -- The node types and model files that the call needs, and their hash.
  add column needs jsonb,
  add column needs_key text,
  -- The name of the server that the call was given to.
  add column server_name text,
  -- How often the call moved to another server, and from which: [{credentialId, server, startedAt, error}].
  add column moves integer not null default 0,
  add column attempts jsonb not null default '[]',
  -- Whether the graph has nodes that bill.
  add column has_partner boolean not null default false,
  -- Why the call cannot continue; null if it can.
  add column failure text check (failure in ('moved_too_often', 'outcome_unknown'));

-- A call counts against the limit of its server once it has one.
alter table calls drop column limiter;
alter table calls add column limiter text generated always as (coalesce(credential_id, pool, provider)) stored;
create index calls_slots on calls (limiter) where ended_at is null and slot_at is not null;
create index calls_waiting on calls (limiter, workspace, submitted_at) where slot_at is null;
create index calls_waiting_limiters on calls (provider, limiter, workspace, submitted_at) where slot_at is null;

-- Prompts of calls that moved away from a server that was down, to cancel when it returns.
create table comfyui_cancellations (
  server_id text not null,
  -- The value of the credential that submitted the prompt.
  value_id text not null,
  prompt_id text not null,
  created_at timestamptz(3) not null default now(),
  primary key (server_id, prompt_id)
);

-- During an upgrade, the version before stores servers without a pool, which are in the default one.
alter table credentials drop constraint credentials_pool_check;
