// A workflow's secrets: an object of strings, stored encrypted, seen and sent by its creator alone.
import { isDeepStrictEqual } from 'node:util';
import { decrypt, encrypt } from '../../lib/crypto.ts';
import { AppError } from '../../lib/errors.ts';
import { type Actor, hasScope } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';

export type Secrets = Readonly<Record<string, string>>;

/** What `{{secrets.NAME}}` can name. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

/** Whether the reader may see them: the creator, by a key that may read. */
export function seesSecrets(actor: Actor, workflow: { readonly user_id: number }): boolean {
  return actor.kind === 'user' && actor.userId === workflow.user_id && hasScope(actor, 'workflows:read');
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
 * The encrypted secrets after a PUT. What anybody but the creator sends is ignored; so is null from a key that cannot
 * read, since a GET with it has shown null whatever was stored. The very same buffer where nothing changes.
 */
export function changeSecrets(
  deps: Pick<Deps, 'secretsKey'>,
  actor: Actor,
  workflow: { readonly user_id: number; readonly secrets: Buffer | null },
  sent: Secrets | null | undefined,
): Buffer | null {
  const isCreator = actor.kind === 'user' && actor.userId === workflow.user_id;
  if (sent === undefined || !isCreator) return workflow.secrets;
  if (sent === null && !seesSecrets(actor, workflow)) return workflow.secrets;
  if (isDeepStrictEqual({ ...decryptSecrets(deps, workflow.secrets) }, { ...sent })) {
    return sent === null ? null : workflow.secrets;
  }
  return encryptSecrets(deps, sent);
}
