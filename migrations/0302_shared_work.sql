-- Who shared a workflow, for the list of shared work. Unknown for shares from before this release.
alter table workflow_permissions
  add column shared_by integer references users on delete set null,
  -- When the person first opened the workflow.
  add column opened_at timestamptz(3);
alter table workflow_email_shares add column shared_by integer references users on delete set null;
-- Earlier shares are not marked as new.
update workflow_permissions set opened_at = created_at;
create index workflow_email_shares_person on workflow_email_shares (lower(email));

alter table notices drop constraint notices_kind_check;
alter table notices add constraint notices_kind_check check (kind in ('schedule_paused', 'trigger_paused',
  'app_out_of_order', 'app_limit_reached', 'credits_low', 'storage_high', 'credential_failed', 'batch_stopped',
  'workflow_shared'));
