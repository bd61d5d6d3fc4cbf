-- Agents that people let in by OAuth: clients, what was granted to them, tokens, authorizations under way, and keys.

create table oauth_clients (
  id text primary key,
  -- What was registered, less the secret.
  metadata json not null,
  -- Encrypted; null: a public client.
  secret bytea,
  created_at timestamptz(3) not null
);

-- What a person granted to a client: the connection that they see and may end. A client that is named by the address of
-- its metadata document has no row above.
create table oauth_grants (
  id text primary key,
  user_id integer not null references users on delete cascade,
  client_id text not null,
  client_name text not null,
  -- Where the client is answered.
  redirect_host text not null,
  scopes text[] not null,
  -- Those that were asked for and not ticked.
  refused text[] not null,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3)
);
create index oauth_grants_user on oauth_grants (user_id, id desc);
create index oauth_grants_client on oauth_grants (client_id);

create table oauth_tokens (
  -- SHA-256 of the token.
  hash bytea primary key,
  kind text not null check (kind in ('AccessToken', 'RefreshToken', 'AuthorizationCode')),
  grant_id text not null references oauth_grants on delete cascade,
  payload json not null,
  expires_at timestamptz(3) not null,
  consumed_at timestamptz(3)
);
create index oauth_tokens_grant on oauth_tokens (grant_id);
create index oauth_tokens_expires on oauth_tokens (expires_at);

-- Requests for authorization that wait for their person.
create table oauth_interactions (
  id text primary key,
  payload json not null,
  expires_at timestamptz(3) not null
);

-- Keys of the authorization server, the same for all processes; encrypted.
create table oauth_keys (
  name text primary key,
  encrypted bytea not null
);
