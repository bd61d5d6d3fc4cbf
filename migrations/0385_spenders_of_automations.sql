-- Whose monthly limits the runs of automations spend: who created them, or changed what they run. Null: who created it.
alter table schedules add column spender_id integer, add column key_id text;
alter table triggers add column spender_id integer, add column key_id text;
alter table batches add column spender_id integer;
-- The key with which the app was saved.
alter table apps add column key_id text;

-- Monthly limits of members. A limit outlives the membership, so that nobody gets rid of it by leaving and joining again.
create table member_limits (
  team_id text not null references teams on delete cascade,
  user_id integer not null references users,
  monthly_credits bigint not null check (monthly_credits >= 0),
  primary key (team_id, user_id)
);
insert into member_limits (team_id, user_id, monthly_credits)
select team_id, user_id, monthly_credits from team_members where monthly_credits is not null;
alter table team_members drop column monthly_credits;
