// A workflow's secrets: an object of strings, stored encrypted, seen by its creator alone, and set by the creator as long as there is one.
import { isDeepStrictEqual } from 'node:util';
import { decrypt, encrypt } from '../../lib/crypto.ts';
import { AppError } from '../../lib/errors.ts';
import type { Tx } from '../../store/db.ts';
import { hasLeft } from '../../store/teams.ts';
import type { ReadWorkflowRow } from '../../store/workflows/workflows.ts';
import { isCreator } from '../accounts/access.ts';
import { type Actor, hasScope } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';

export type Secrets = Readonly<Record<string, string>>;

/** What `{{secrets.NAME}}` can name. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

/** Whether the reader may see them: the creator, by a key that may read. */
export function seesSecrets(actor: Actor, workflow: ReadWorkflowRow): boolean {
  return isCreator(actor, workflow) && hasScope(actor, 'workflows:read');
}

/** The secrets as they were sent; null where there are none. */
export function decryptSecrets(deps: Pick<Deps, 'secretsKey'>, encrypted: Buffer | null): Secrets | null {
  return encrypted === null ? null : (JSON.parse(decrypt(deps.secretsKey, encrypted)) as Secrets);
}

/** Throws 400 for a name that no config could use. */
export function encryptSecrets(deps: Pick<Deps, 'secretsKey'>, secrets: Secrets | null): Buffer | null {
  if (secrets === null) return null;
  const wrong = Object.keys(secrets).filter(name => !NAME.test(name));
  if (wrong.length > 0) {
    const message = 'must be a letter or _, then letters, digits and _, 64 at most';
    throw new AppError('invalid_request', `The name of a secret ${message}.`, {
      issues: wrong
        .slice(0, 20)
        .map(name => ({ path: `/secrets/${name}`, code: 'invalid_request', message })),
    });
  }
  return encrypt(deps.secretsKey, JSON.stringify(secrets));
}

/**
 * The encrypted secrets after a PUT. What anybody but the creator sends is ignored, unless the creator has left the team:
 * then its OWNERs may replace them all. Null is ignored from whoever a GET shows null, whatever is stored. The very same
 * buffer where nothing changes.
 */
export async function changeSecrets(
  deps: Pick<Deps, 'secretsKey'>,
  tx: Tx,
  actor: Actor,
  workflow: ReadWorkflowRow,
  sent: Secrets | null | undefined,
): Promise<{ readonly secrets: Buffer | null; readonly warnings: readonly string[] }> {
  const { secrets } = workflow;
  if (sent === undefined || (sent === null && !seesSecrets(actor, workflow)))
    return { secrets, warnings: [] };
  if (!isCreator(actor, workflow) && !(await mayReplaceSecrets(tx, workflow)))
    return { secrets, warnings: ['Ignored: secrets. Only the creator of the workflow may set them.'] };
  const isSame = isDeepStrictEqual({ ...decryptSecrets(deps, secrets) }, { ...sent });
  return { secrets: isSame && sent !== null ? secrets : encryptSecrets(deps, sent), warnings: [] };
}

/** Whether the reader owns the team, and the workflow's creator is in it no more. */
async function mayReplaceSecrets(tx: Tx, { team_id, team_role, user_id }: ReadWorkflowRow): Promise<boolean> {
  return team_id !== null && team_role === 'OWNER' && (await hasLeft(tx, team_id, user_id));
}
