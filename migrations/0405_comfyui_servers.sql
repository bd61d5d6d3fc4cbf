-- Servers of ComfyUI: pools of the credentials of an owner, and what the service knows about each server.

alter table credentials
  add column pool text,
  -- The most calls of the service that the server has at the same time.
  add column max_concurrent integer not null default 1,
  -- A draining server gets no new calls.
  add column is_draining boolean not null default false;
-- Until now, workflows used the default and the servers that were chosen for them. The others keep a pool of their own.
update credentials set pool = case when is_default or removed_at is not null then 'default' else id end where kind = 'comfyui';
alter table credentials add constraint credentials_pool_check check ((pool is not null) = (kind = 'comfyui'));

-- A workflow chooses a credential, or a pool of its workspace or of the instance.
alter table workflow_credentials
  alter column credential_id drop not null,
  add column pool text,
  add constraint workflow_credentials_choice check ((credential_id is null) <> (pool is null));

create table comfyui_servers (
  -- The id of the stored credential, or of the credential of the environment.
  id text primary key,
  -- When to check the server next. A worker that checks it moves the time.
  due_at timestamptz(3) not null default now(),
  status text not null default 'unknown' check (status in ('up', 'down', 'unknown')),
  checked_at timestamptz(3),
  -- Since when the checks fail; null if the last one succeeded.
  failing_since timestamptz(3),
  error text,
  version text,
  devices jsonb not null default '[]',
  running integer not null default 0,
  waiting integer not null default 0,
  node_types integer not null default 0,
  -- The node types and model files of the server, compressed, and their hash.
  facts bytea,
  facts_key text,
  -- Why the facts could not be read; null if they could.
  facts_error text,
  facts_due_at timestamptz(3) not null default now(),
  -- The hash of the model files of the last graph that the service gave to the server.
  last_files text
);
create index comfyui_servers_due on comfyui_servers (due_at);
insert into comfyui_servers (id) select id from credentials where kind = 'comfyui' and removed_at is null;
