-- People who sign in: passwords, the links that set one, sessions, and identities at an OpenID provider.

-- Argon2id, as a PHC string; null: this account does not sign in by password.
alter table users add column password text;
alter table users add column is_admin boolean not null default false;
-- The bootstrap user.
update users set is_admin = true where id = 1;

-- A link that sets a password, once; a newer one of the same user replaces it.
create table password_links (
  user_id integer primary key references users on delete cascade,
  kind text not null check (kind in ('setup', 'invite', 'reset')),
  -- SHA-256 of the token.
  hash bytea not null unique,
  expires_at timestamptz(3)
);

create table sessions (
  id text primary key,
  user_id integer not null references users on delete cascade,
  -- SHA-256 of the cookie's 256 random bits.
  hash bytea not null unique,
  user_agent text,
  address text not null,
  created_at timestamptz(3) not null,
  last_seen_at timestamptz(3) not null,
  expires_at timestamptz(3) not null
);
create index sessions_user on sessions (user_id, id desc);

create table identities (
  issuer text not null,
  subject text not null,
  user_id integer not null references users on delete cascade,
  created_at timestamptz(3) not null default now(),
  primary key (issuer, subject)
);
-- An account has one identity at a provider: another with its email is another person.
create unique index identities_user on identities (user_id, issuer);
