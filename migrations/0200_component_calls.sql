-- Components: which versions of which workflow call other workflows as nodes.

create table version_calls (
  caller_id text not null,
  caller_version integer not null,
  -- Numbers the rows of a caller's version.
  ordinal integer not null,
  component_id text not null references workflows on delete cascade,
  -- The version that is called; null: the latest.
  version integer,
  -- The nodes that call it.
  node_ids text[] not null,
  -- Who added the call. The component is used with the rights of this user.
  user_id integer not null,
  primary key (caller_id, caller_version, ordinal),
  foreign key (caller_id, caller_version) references workflow_versions on delete cascade,
  -- A version that is called is kept.
  foreign key (component_id, version) references workflow_versions
);
create index version_calls_of_component on version_calls (component_id, version);

-- The calls of current versions, one row for each node.
create view component_calls as
  select c.caller_id, c.component_id, n.node_id, c.version
  from version_calls c
  join workflows w on w.id = c.caller_id and w.version = c.caller_version
  cross join unnest(c.node_ids) as n (node_id);
