-- The nodes of a version that others than the creator of the workflow wrote last. Secrets without hosts are not sent
-- from these nodes. Null for versions from before this record.
alter table workflow_versions add column nodes_by_others text[];
