-- The indexes of pages get another collation than the primary key. A page that is ordered by it can only be read by the index
-- of its condition; otherwise PostgreSQL may read the whole log by the primary key, for a value that it believes to be common.
drop index audit_events_user;
drop index audit_events_action;
drop index audit_events_target;
drop index audit_events_team;
create index audit_events_user on audit_events (user_id, id collate "C");
create index audit_events_action on audit_events (action, id collate "C");
create index audit_events_target on audit_events (target, id collate "C") where target is not null;
create index audit_events_team on audit_events (team_id, id collate "C") where team_id is not null;
