-- What calls cost on credentials of workspaces, in USD. They cost no credits.

create table credential_charges (
  execution_id text not null,
  node_id text not null,
  item integer not null,
  credential_id text not null references credentials (id),
  workspace text not null,
  workflow_id text not null,
  node_type text not null,
  -- Reserved before the call, and its cost afterwards; null: unknown.
  usd numeric(14, 6),
  created_at timestamptz(3) not null default now(),
  primary key (execution_id, node_id, item)
);
create index credential_charges_credential on credential_charges (credential_id, created_at);
create index credential_charges_workspace on credential_charges (workspace, created_at);

-- Active runs with stored credentials.
create index executions_credentials on executions (id) where credentials is not null and finished_at is null;
