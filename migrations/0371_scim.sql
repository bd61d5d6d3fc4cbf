-- The token of the identity provider that manages accounts and groups by SCIM. There is at most one.
create table scim_tokens (
  id integer primary key default 1 check (id = 1),
  hash bytea not null,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3)
);

-- What the identity provider has sent about an account that it manages.
create table scim_users (
  user_id integer primary key references users on delete cascade,
  user_name text not null,
  external_id text,
  given_name text,
  family_name text,
  -- Whether the provider has deactivated the account, so that it may activate it again.
  is_deactivated boolean not null default false,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  -- When the provider deleted the account. The account itself is only disabled.
  deleted_at timestamptz(3)
);
create unique index scim_users_name on scim_users (lower(user_name)) where deleted_at is null;
create index scim_users_external on scim_users (external_id) where external_id is not null;

create table scim_groups (
  id text primary key,
  display_name text not null,
  external_id text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create unique index scim_groups_name on scim_groups (lower(display_name));
create index scim_groups_external on scim_groups (external_id) where external_id is not null;

create table scim_group_members (
  group_id text not null references scim_groups on delete cascade,
  user_id integer not null references users on delete cascade,
  primary key (group_id, user_id)
);
create index scim_group_members_user on scim_group_members (user_id);
