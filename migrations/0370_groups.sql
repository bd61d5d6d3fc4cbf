-- The role that members of a group of the identity provider get in a team.
create table group_mappings (
  group_name text not null,
  team_id text not null references teams on delete cascade,
  role text not null check (role in ('OWNER', 'EDITOR', 'VIEWER')),
  primary key (group_name, team_id)
);
create index group_mappings_team on group_mappings (team_id);

-- The mapped groups in the token of the user's last sign-in.
create table claimed_groups (
  user_id integer not null references users on delete cascade,
  group_name text not null,
  primary key (user_id, group_name)
);
create index claimed_groups_name on claimed_groups (group_name);

-- Whether the membership comes from a group, so that the groups may change or remove it.
alter table team_members add column from_group boolean not null default false;
