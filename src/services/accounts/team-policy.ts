// Manages which providers and models the runs of a team may use.
import type { Policy } from '../../graph/policy.ts';
import { createFieldError } from '../../lib/errors.ts';
import { findNeededProvider } from '../../nodes/catalog.ts';
import { recordAudit } from '../../store/audit/record-audit.ts';
import type { Tx } from '../../store/db.ts';
import { findPolicy, lockTeam, setPolicy } from '../../store/teams.ts';
import type { Deps } from '../deps.ts';
import { isTeamWorkspace } from './access.ts';
import { type Actor, requireScope } from './actor.ts';
import { getTeam, requireTeamOwner } from './teams.ts';

const ALLOW_ALL: Policy = { providers: null, models: { allow: null, deny: [] } };

/** Returns the policy of the workspace, or undefined if it allows everything. */
export async function loadPolicy(tx: Tx, workspace: string): Promise<Policy | undefined> {
  return isTeamWorkspace(workspace) ? ((await findPolicy(tx, workspace)) ?? undefined) : undefined;
}

/** Returns the policy of one of the caller's teams. Throws 404 for any other team. */
export async function readPolicy(deps: Deps, actor: Actor, teamId: string): Promise<Policy> {
  const user = requireScope(actor, 'account:admin');
  await getTeam(deps.db, user, teamId);
  return (await findPolicy(deps.db, teamId)) ?? ALLOW_ALL;
}

/** Replaces the policy. Throws 400 for an unknown model, 403 for anyone but an OWNER, 404. */
export async function changePolicy(
  deps: Deps,
  actor: Actor,
  teamId: string,
  policy: Policy,
): Promise<Policy> {
  const user = requireScope(actor, 'account:admin');
  return deps.db.transaction(async tx => {
    await lockTeam(tx, teamId);
    const { name } = await requireTeamOwner(tx, user, teamId);
    const before = (await findPolicy(tx, teamId)) ?? ALLOW_ALL;
    requireModels(deps, policy, before);
    const { providers, models } = policy;
    const allowsAll = providers === null && models.allow === null && models.deny.length === 0;
    await setPolicy(tx, teamId, allowsAll ? null : policy);
    recordAudit(tx, user, {
      action: 'policy.changed',
      target: teamId,
      name,
      teamId,
      before: toAuditFields(before),
      after: toAuditFields(policy),
    });
    return policy;
  });
}

/** Throws 400 if a node type does not call a provider. A model that was removed since may stay in the policy. */
function requireModels({ findNode }: Deps, { models }: Policy, before: Policy): void {
  const known = new Set([...(before.models.allow ?? []), ...before.models.deny]);
  for (const list of ['allow', 'deny'] as const)
    for (const [index, nodeType] of (models[list] ?? []).entries())
      if (!known.has(nodeType) && findNeededProvider(findNode(nodeType), {}) === undefined)
        throw createFieldError(
          `/models/${list}/${index}`,
          'must be the node type of a model, as listed by GET /models',
          JSON.stringify(nodeType),
        );
}

const toAuditFields = ({ providers, models }: Policy) => ({
  providers,
  allowedModels: models.allow,
  deniedModels: models.deny,
});
