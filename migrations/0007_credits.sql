-- Credits: an append-only ledger by workspace, and one balance row a workspace that equals its sum.

create table credit_pools (
  workspace text primary key,
  -- What can be spent; what runs under way have set aside is in `held`.
  balance bigint not null check (balance >= 0),
  held bigint not null check (held >= 0)
);

create table credit_entries (
  id bigint generated always as identity primary key,
  workspace text not null,
  -- grant: balance + amount; hold: balance to held; charge: out of held; release: held back to balance.
  kind text not null check (kind in ('grant', 'hold', 'charge', 'release')),
  amount bigint not null,
  execution_id text,
  workflow_id text,
  node_id text,
  note text,
  created_at timestamptz(3) not null default now()
);
create index credit_entries_workspace on credit_entries (workspace, id desc);
create index credit_entries_execution on credit_entries (execution_id) where execution_id is not null;

-- One row for each run that may cost: what is set aside for it, and what became of it.
create table run_credits (
  execution_id text primary key,
  workspace text not null,
  workflow_id text not null,
  estimated bigint not null,
  held bigint not null check (held >= 0),
  charged bigint not null default 0,
  released bigint not null default 0,
  created_at timestamptz(3) not null default now()
);
create index run_credits_workflow on run_credits (workflow_id, created_at);
