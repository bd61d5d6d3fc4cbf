-- A time-based one-time password (RFC 6238) per account. `secret` is null until the first code confirms `pending`.
create table totp_secrets (
  id text primary key,
  user_id integer not null unique references users on delete cascade,
  -- Both are encrypted with SECRETS_KEY.
  secret bytea,
  pending bytea,
  -- The newest time step whose code was used, so that each code works once.
  last_step bigint
);

create table passkeys (
  id text primary key,
  user_id integer not null references users on delete cascade,
  -- The id of the credential in its authenticator.
  credential_id text not null unique,
  -- COSE key.
  public_key bytea not null,
  -- The authenticator's number of signatures; 0 if it does not count.
  counter bigint not null,
  transports text[] not null,
  name text not null,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3)
);
create index passkeys_user on passkeys (user_id, id);

create table recovery_codes (
  hash bytea primary key,
  user_id integer not null references users on delete cascade
);
create index recovery_codes_user on recovery_codes (user_id);

-- What a browser must prove: the second factor of a sign-in, or possession of a passkey.
create table factor_challenges (
  hash bytea primary key,
  kind text not null,
  -- Null if the passkey tells who signs in.
  user_id integer references users on delete cascade,
  -- The password with which the sign-in began.
  password_hash text,
  -- The client's network, if the account has signed in from it before.
  network text,
  tries integer not null default 0,
  expires_at timestamptz(3) not null
);
create index factor_challenges_user on factor_challenges (user_id, expires_at);
create index factor_challenges_expiry on factor_challenges (expires_at);

-- Whether the session's user proved a second factor.
alter table sessions add column has_second_factor boolean not null default false;
-- Whether the session that granted the access had proved a second factor.
alter table oauth_grants add column has_second_factor boolean not null default false;
alter table teams add column requires_second_factor boolean not null default false;
