// Registers the routes of the audit log.
import { TeamParams } from '../../services/accounts/account.schema.ts';
import { AuditActions, AuditPage, AuditQuery, TeamAuditQuery } from '../../services/audit/audit.schema.ts';
import {
  exportInstanceAudit,
  exportTeamAudit,
  listAuditActions,
  listInstanceAudit,
  listTeamAudit,
} from '../../services/audit/read-audit.ts';
import type { Deps } from '../../services/deps.ts';
import type { Server } from '../deps.ts';
import { createDescriber } from '../route.ts';

const operation = createDescriber('Audit log');
const NDJSON = 'application/x-ndjson; charset=utf-8';

export function registerAudit(server: Server, deps: Deps): void {
  server.get(
    '/api/v1/admin/audit',
    operation('listAudit', 'instance:admin', {
      summary: 'List the audit log',
      description:
        'Returns recorded actions, newest first. A page with a rare combination of filters may have fewer events than its limit and still a `nextCursor`.',
      querystring: AuditQuery,
      response: { 200: AuditPage },
      isStreamed: true,
    }),
    async (req, reply) => {
      if (req.query.format !== 'ndjson') return listInstanceAudit(deps, req.actor, req.query);
      reply.header('content-type', NDJSON);
      return reply.send(await exportInstanceAudit(deps, req.actor, req.query, reply.closeSignal()));
    },
  );
  server.get(
    '/api/v1/audit/actions',
    operation('listAuditActions', 'signed-in', {
      summary: 'List the actions of the audit log',
      description:
        'Returns the actions that the audit log can contain, each with its sentence, in which `{actor}`, `{target}` and `{team}` are names.',
      response: { 200: AuditActions },
    }),
    async () => listAuditActions(),
  );
  server.get(
    '/api/v1/teams/:id/audit',
    operation('listTeamAudit', 'account:admin', {
      summary: 'List the audit log of a team',
      description:
        'Returns recorded actions in the team, newest first, like `GET /admin/audit`. Requires the role OWNER.',
      params: TeamParams,
      querystring: TeamAuditQuery,
      response: { 200: AuditPage },
      isStreamed: true,
    }),
    async (req, reply) => {
      const { actor, params, query } = req;
      if (query.format !== 'ndjson') return listTeamAudit(deps, actor, params.id, query);
      reply.header('content-type', NDJSON);
      return reply.send(await exportTeamAudit(deps, actor, params.id, query, reply.closeSignal()));
    },
  );
}
