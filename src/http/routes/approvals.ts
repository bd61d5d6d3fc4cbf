// Registers the routes of approvals: lists, decisions, and decisions by the link of a mail.
import { toNetwork } from '../../lib/addresses.ts';
import {
  Approval,
  ApprovalId,
  ApprovalNode,
  ApprovalPage,
  CreatedApprovalLink,
  CreateLinkBody,
  DecisionBody,
  LinkDecisionBody,
  LinkedApproval,
  LinkMailsBody,
  ListApprovalsQuery,
  OpenLinkBody,
} from '../../runs/approvals/approval.schema.ts';
import { decideAsUser, decideByLink } from '../../runs/approvals/decide.ts';
import { changeLinkMails, createLinkAsOwner, openApprovalLink } from '../../runs/approvals/links.ts';
import { listApprovals, readApproval } from '../../runs/approvals/read-approvals.ts';
import type { RunDeps } from '../../runs/deps.ts';
import type { Server } from '../deps.ts';
import { getClientAddress } from '../limits.ts';
import { createDescriber, RESOURCE_ERRORS } from '../route.ts';

const operation = createDescriber('Approvals');
const DECISION_ERRORS = ['already_decided', 'not_resumable'] as const;

export function registerApprovals(server: Server, deps: RunDeps): void {
  server.get(
    '/api/v1/approvals',
    operation('listApprovals', 'workflows:read', {
      summary: 'List the approvals that wait for you',
      description:
        'Returns the approvals that you are asked for, newest first: as an assignee, or as the user who started the run if there are no assignees.',
      querystring: ListApprovalsQuery,
      response: { 200: ApprovalPage },
    }),
    req => listApprovals(deps, req.actor, req.query),
  );
  server.get(
    '/api/v1/approvals/:id',
    operation('getApproval', 'workflows:read', {
      summary: 'Read an approval',
      description: 'Returns an approval with the value that waits.',
      params: ApprovalId,
      response: { 200: Approval },
      isUncacheable: true,
    }),
    req => readApproval(deps, req.actor, req.params.id),
  );
  server.post(
    '/api/v1/executions/:id/approvals/:nodeId',
    operation('decideApproval', 'workflows:execute', {
      summary: 'Approve or reject',
      description:
        'Decides an approval, and the run continues. Allowed for its assignees and the owners of the workflow; without assignees, for the user who started the run and the owners. If two people decide at the same time, one gets 409 `already_decided`, with `by`.',
      errors: [...RESOURCE_ERRORS, ...DECISION_ERRORS],
      params: ApprovalNode,
      body: DecisionBody,
      response: { 200: Approval },
    }),
    req => decideAsUser(deps, req.actor, toKey(req.params), req.body),
  );
  server.post(
    '/api/v1/approvals/:id/link',
    operation('createApprovalLink', 'workflows:execute', {
      summary: 'Create a link for an assignee',
      description:
        'Creates a link with which an assignee without an account decides, to send by other means than mail. Only for owners of the workflow.',
      errors: [...RESOURCE_ERRORS, 'conflict'],
      params: ApprovalId,
      body: CreateLinkBody,
      response: { 200: CreatedApprovalLink },
      isUncacheable: true,
    }),
    req => createLinkAsOwner(deps, req.actor, req.params.id, req.body),
  );
  server.post(
    '/api/v1/approvals/link',
    operation('openApprovalLink', 'public', {
      summary: 'Read an approval by its link',
      description:
        'Returns what waits, to a person whom a mail has sent a link. Does not use the link. Returns 429 after 100 requests in 15 minutes from one IP address.',
      errors: ['invalid_link'],
      body: OpenLinkBody,
      response: { 200: LinkedApproval },
    }),
    req => openApprovalLink(deps, req.body.token, toNetwork(getClientAddress(req))),
  );
  server.post(
    '/api/v1/approvals/link/decision',
    operation('decideByLink', 'public', {
      summary: 'Approve or reject by a link',
      description: 'Decides an approval without an account. The link works once.',
      errors: ['invalid_link', ...DECISION_ERRORS],
      body: LinkDecisionBody,
      response: { 200: LinkedApproval },
    }),
    req => decideByLink(deps, req.body, toNetwork(getClientAddress(req))),
  );
  server.post(
    '/api/v1/approvals/link/mails',
    operation('stopApprovalMails', 'public', {
      summary: 'Stop mails about approvals',
      description:
        'Stops mails about approvals to the address that got the link, or sends them again. Only for people without an account. Works also after the decision.',
      errors: ['invalid_link'],
      body: LinkMailsBody,
      response: { 200: LinkedApproval },
    }),
    req => changeLinkMails(deps, req.body, toNetwork(getClientAddress(req))),
  );
}

const toKey = ({ id, nodeId }: { readonly id: string; readonly nodeId: string }) => ({
  executionId: id,
  nodeId,
});
