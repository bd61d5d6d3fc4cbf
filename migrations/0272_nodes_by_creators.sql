-- Until somebody else wrote a version, the creator had written all nodes. Later versions keep null: nobody knows.
update workflow_versions v set nodes_by_others = '{}'
from workflows w
left join lateral (
  select min(o.version) as version from workflow_versions o where o.workflow_id = w.id and o.user_id <> w.user_id
) others on true
where w.id = v.workflow_id and v.nodes_by_others is null and (others.version is null or v.version < others.version);
