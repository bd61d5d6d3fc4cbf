-- Calls at providers that are under way: what a run waits for while no worker has it in hand.

create table calls (
  execution_id text not null,
  node_id text not null,
  -- Of a node that is mapped over a list; else 0.
  item integer not null,
  workspace text not null,
  provider text not null,
  -- The provider's name for the work, and what else is needed to ask for it.
  job_id text not null,
  state text,
  -- Names the call in the address that the provider tells of its end.
  token text unique,
  -- How often a worker has asked for the result in vain.
  asks integer not null default 0,
  submitted_at timestamptz(3) not null,
  -- When to ask next.
  due_at timestamptz(3) not null,
  -- When its run goes on without it.
  deadline_at timestamptz(3) not null,
  -- Set once the run was woken for it.
  ended_at timestamptz(3),
  -- Set once nobody wants the result any more; the row stays until the provider has been told.
  cancelled_at timestamptz(3),
  primary key (execution_id, node_id, item)
) with (fillfactor = 70);
create index calls_due on calls (provider, due_at) where ended_at is null;
