-- Mails are stored in the transaction of their event, and sent by the job queue.

create table mails (
  id text primary key,
  -- The recipient's account; null for a person without one.
  user_id integer references users on delete cascade,
  address text not null,
  -- Whose budget of waiting mails it uses: a workspace or an account.
  account text not null,
  -- The kind of the notice, or of another mail such as `password_reset`.
  kind text not null,
  -- The id of what it is about.
  cause text not null,
  -- What the text and the HTML are made of. Null once the mail has ended.
  content jsonb,
  -- Encrypted with SECRETS_KEY: what replaces `{secret}` in the links. Null once the mail has ended.
  secret bytea,
  state text not null default 'waiting' check (state in ('waiting', 'sent', 'unconfirmed', 'failed')),
  attempts integer not null default 0,
  -- Set just before the server has the complete message. If its answer is lost, the mail may have arrived.
  handed_over_at timestamptz(3),
  -- The answer of the server, or the error of the last attempt.
  result text,
  next_attempt_at timestamptz(3),
  expires_at timestamptz(3) not null,
  created_at timestamptz(3) not null default now(),
  finished_at timestamptz(3)
);
create index mails_waiting on mails (account) where state = 'waiting';
create index mails_address on mails (lower(address), created_at);
create index mails_user on mails (user_id);
create index mails_created on mails (created_at);
create index mails_state on mails (state, id);

-- How the user receives notices, by kind, as far as it differs from the default.
alter table users add column notice_settings jsonb not null default '{}';

-- Adds kinds of notices to those that other migrations have added.
do $$ declare definition text := (select pg_get_constraintdef(oid) from pg_constraint
  where conname = 'notices_kind_check' and conrelid = 'notices'::regclass); begin
  alter table notices drop constraint notices_kind_check;
  execute 'alter table notices add constraint notices_kind_check ' || replace(definition, 'ARRAY[',
    'ARRAY[''new_browser''::text, ''second_factor_changed''::text, ''password_changed''::text, ''email_changed''::text, ');
end $$;

-- Browsers in which an account was signed in, by the hash of a cookie.
create table known_browsers (
  user_id integer not null references users on delete cascade,
  hash bytea not null,
  seen_at timestamptz(3) not null,
  primary key (user_id, hash)
);
create index known_browsers_seen on known_browsers (seen_at);
