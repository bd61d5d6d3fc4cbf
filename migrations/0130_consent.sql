-- Sharing with and inviting people without learning who has an account.

-- Shares with an email: in force for whoever has the account with it, now or later.
create table workflow_email_shares (
  id integer generated always as identity primary key,
  workflow_id text not null references workflows on delete cascade,
  email text not null,
  role text not null check (role in ('VIEW', 'EDIT', 'OWNER')),
  created_at timestamptz(3) not null default now(),
  -- Who has opened the workflow by this share. Owners are shown no name before.
  opened_by integer references users on delete set null
);
create unique index workflow_email_shares_address on workflow_email_shares (workflow_id, lower(email));
create index workflow_email_shares_opener on workflow_email_shares (opened_by);

-- An invitation is to an email, or to an account that the inviter knows from another team.
alter table team_invitations alter column email drop not null;
alter table team_invitations add column user_id integer references users on delete cascade;
alter table team_invitations add constraint team_invitations_invited check ((email is null) <> (user_id is null));
create unique index team_invitations_account on team_invitations (team_id, user_id);
create index team_invitations_user on team_invitations (user_id);
