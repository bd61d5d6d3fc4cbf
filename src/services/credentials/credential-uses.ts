// Lists the workflows that use a credential, and counts its calls in flight.
import { Type } from 'typebox';
import { AppError } from '../../lib/errors.ts';
import { type CredentialRow, countCallsInFlight, listCredentialUses } from '../../store/credentials.ts';
import type { Tx } from '../../store/db.ts';
import type { Actor } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import { Named } from '../schema.ts';
import { getVisibleCredential, requireCanManage } from './credential-access.ts';

const MAX_WORKFLOWS = 100;
/** An error names at most this many workflows. */
const MAX_NAMED = 10;

export const CredentialUses = Named('CredentialUses', 'What uses a credential', {
  workflows: Type.Array(Type.Object({ id: Type.String(), name: Type.String() }), {
    maxItems: MAX_WORKFLOWS,
    description: 'Workflows that selected the credential, or whose active runs use it, newest first',
  }),
  callsInFlight: Type.Integer({ description: 'Calls at the provider that have not ended' }),
});

/** Returns what uses the credential. Throws 404, and 403 for members who may not change the credential. */
export async function readCredentialUses(deps: Pick<Deps, 'db'>, actor: Actor, id: string) {
  const { owner } = await getVisibleCredential(deps.db, actor, id);
  requireCanManage(actor, owner);
  return findUses(deps.db, id);
}

async function findUses(tx: Tx, id: string) {
  return {
    workflows: await listCredentialUses(tx, id, MAX_WORKFLOWS),
    callsInFlight: await countCallsInFlight(tx, id),
  };
}

/** Throws 409 `credential_in_use` with the names of workflows if the credential is used. */
export async function requireUnused(tx: Tx, { id, name }: CredentialRow): Promise<void> {
  const { workflows, callsInFlight } = await findUses(tx, id);
  if (workflows.length === 0 && callsInFlight === 0) return;
  const names = workflows.slice(0, MAX_NAMED).map(workflow => workflow.name);
  const unnamedCount = workflows.length - names.length;
  const parts = [
    ...names,
    ...(unnamedCount > 0 ? [`${unnamedCount} more`] : []),
    ...(workflows.length === 0 ? [`${callsInFlight} calls in flight`] : []),
  ];
  throw new AppError(
    'credential_in_use',
    `${name} is used by ${parts.join(', ')}. Change them first, or delete it with force=true.`,
    { details: { workflows, callsInFlight } },
  );
}
