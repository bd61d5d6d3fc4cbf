-- Servers with a name of their own that speak OpenAI's protocol. Nodes choose a server by its name.
alter table credentials
  add column server text check (server is null or kind = 'openai'),
  -- The routes of OpenAI's API that the server has; null: not tested.
  add column serves text[],
  -- Whether the server is at a private address.
  add column is_private boolean not null default false;
create unique index credentials_server on credentials (coalesce(workspace, ''), server) where server is not null and removed_at is null;
