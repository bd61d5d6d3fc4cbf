// Compares the sets of allowed values in the code with the check constraints of PostgreSQL.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { APP_PAYERS, AUDIENCES } from '../../src/apps/store/apps.ts';
import { BATCH_STATUSES } from '../../src/automation/batches/store/batches.ts';
import { ROW_STATUSES } from '../../src/automation/batches/store/rows.ts';
import {
  CATCH_UPS,
  FIRING_KINDS,
  FIRING_OUTCOMES,
  OVERLAPS,
  RUNS_VERSIONS,
} from '../../src/automation/schedules/store.ts';
import { OUTCOMES, PAUSE_REASONS } from '../../src/automation/store.ts';
import { DELIMITERS, TABLE_FORMATS } from '../../src/automation/tables/store.ts';
import { ITEM_STATUSES, TRIGGER_KINDS } from '../../src/automation/triggers/store.ts';
import { PROVIDER_NAMES } from '../../src/providers/names.ts';
import { CONTENT_CATEGORIES, CONTENT_TYPES } from '../../src/services/content/store.ts';
import { TOKEN_KINDS } from '../../src/services/oauth/store/tokens.ts';
import { APPROVAL_STATUSES, ASSIGNEE_MAILS } from '../../src/store/approvals.ts';
import { CALL_FAILURES } from '../../src/store/comfyui-calls.ts';
import { SERVER_STATUSES } from '../../src/store/comfyui-servers.ts';
import { CREDENTIAL_STATUSES } from '../../src/store/credentials.ts';
import { ENTRY_KINDS } from '../../src/store/credits.ts';
import { DELIVERY_EVENTS, DELIVERY_STATES } from '../../src/store/deliveries.ts';
import { EXECUTION_STATUSES } from '../../src/store/executions.ts';
import { MAIL_STATES } from '../../src/store/mails.ts';
import { MEDIA_ORIGINS } from '../../src/store/media/media.ts';
import { NOTICE_KINDS } from '../../src/store/notices.ts';
import { LINK_KINDS } from '../../src/store/people/password-links.ts';
import { SHARE_ROLES } from '../../src/store/permissions.ts';
import { RENDER_STATUSES } from '../../src/store/renders.ts';
import { TEAM_ROLES } from '../../src/store/teams.ts';
import { LINK_PERMISSIONS } from '../../src/store/workflows/workflows.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const SETS: Readonly<Record<string, readonly string[]>> = {
  'approval_assignees.mail': ASSIGNEE_MAILS,
  'approvals.status': APPROVAL_STATUSES,
  'apps.audience': AUDIENCES,
  'apps.payer': APP_PAYERS,
  'batch_rows.status': ROW_STATUSES,
  'batches.status': BATCH_STATUSES,
  'content_pages.parent_category': CONTENT_CATEGORIES,
  'content_pages.type': CONTENT_TYPES,
  'calls.failure': CALL_FAILURES,
  'comfyui_servers.status': SERVER_STATUSES,
  'credentials.kind': PROVIDER_NAMES,
  'credentials.status': CREDENTIAL_STATUSES,
  'credit_entries.kind': ENTRY_KINDS,
  'deliveries.event': DELIVERY_EVENTS,
  'deliveries.state': DELIVERY_STATES,
  'executions.status': EXECUTION_STATUSES,
  'firings.kind': FIRING_KINDS,
  'firings.outcome': FIRING_OUTCOMES,
  'group_mappings.role': TEAM_ROLES,
  'mails.state': MAIL_STATES,
  'media.origin': MEDIA_ORIGINS,
  'notices.kind': NOTICE_KINDS,
  'oauth_tokens.kind': TOKEN_KINDS,
  'password_links.kind': LINK_KINDS,
  'renders.status': RENDER_STATUSES,
  'schedules.catch_up': CATCH_UPS,
  'schedules.overlap': OVERLAPS,
  'schedules.paused_reason': PAUSE_REASONS,
  'schedules.runs_version': RUNS_VERSIONS,
  'tables.delimiter': DELIMITERS,
  'tables.format': TABLE_FORMATS,
  'team_invitations.role': TEAM_ROLES,
  'team_members.role': TEAM_ROLES,
  'trigger_events.outcome': OUTCOMES,
  'trigger_items.status': ITEM_STATUSES,
  'triggers.kind': TRIGGER_KINDS,
  'workflow_email_shares.role': SHARE_ROLES,
  'workflow_permissions.role': SHARE_ROLES,
  'workflows.link_permission': LINK_PERMISSIONS,
};

let database: TestDatabase;
before(async () => {
  database = await createTestDatabase();
});
after(() => database.drop());

it('has a check constraint for exactly the sets of values that the code has', async () => {
  const { rows } = await database.db.query<{ column: string; definition: string; is_valid: boolean }>(
    `select c.conrelid::regclass || '.' || a.attname as column, pg_get_constraintdef(c.oid) as definition,
       c.convalidated as is_valid
     from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
     where c.contype = 'c' and c.connamespace = 'public'::regnamespace and pg_get_constraintdef(c.oid) like '%ARRAY[%'`,
  );
  const checks = rows.map(({ column, definition, is_valid }) => [
    column,
    [...definition.matchAll(/'([^']+)'/g)].map(([, value]) => value).sort(),
    is_valid,
  ]);
  assert.deepEqual(
    Object.fromEntries(checks.map(([column, ...check]) => [column, check])),
    Object.fromEntries(Object.entries(SETS).map(([column, values]) => [column, [[...values].sort(), true]])),
  );
});
