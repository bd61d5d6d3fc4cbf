-- Invitations to teams, by email: whoever has the account with that email, now or later, may accept.
create table team_invitations (
  id text primary key,
  team_id text not null references teams on delete cascade,
  email text not null,
  role text not null check (role in ('OWNER', 'EDITOR', 'VIEWER')),
  -- null: that account is gone.
  invited_by integer references users on delete set null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null
);
-- An address is invited to a team once: inviting it again renews the invitation.
create unique index team_invitations_address on team_invitations (team_id, lower(email));
create index team_invitations_email on team_invitations (lower(email), id);
create index team_invitations_inviter on team_invitations (invited_by);
