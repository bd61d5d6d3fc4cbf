// Manages a workflow's secrets: values, optionally with the hosts that may receive them. Secrets are stored encrypted.
// Only the creator of the workflow sees and sets them.
import { isDeepStrictEqual } from 'node:util';
import { decrypt, encrypt } from '../../lib/crypto.ts';
import { AppError } from '../../lib/errors.ts';
import type { Tx } from '../../store/db.ts';
import { isOutsideTeam } from '../../store/teams.ts';
import type { ReadWorkflowRow } from '../../store/workflows/workflows.ts';
import { isCreator } from '../accounts/access.ts';
import { type Actor, hasScope } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';

/** A value, or a value with its hosts. secret-use.ts decides from which nodes a value without hosts is sent. */
export type Secret = string | { readonly value: string; readonly hosts: readonly string[] };
export type Secrets = Readonly<Record<string, Secret>>;

export const getSecretValue = (secret: Secret): string =>
  typeof secret === 'string' ? secret : secret.value;

/** A name that `{{secrets.NAME}}` can refer to. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
/** `api.example.com`, `*.example.org:8443`, `[::1]:9000`; a wildcard matches one or more labels. */
const HOST = /^(?:\*\.[^\s/?#@\\:*%.]+\.[^\s/?#@\\:*%]+|[^\s/?#@\\:*%]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

/** Returns whether the pattern matches the URL. Without a port it matches only the default port of the URL's scheme. */
export function matchesHost(pattern: string, { hostname, port, protocol }: URL): boolean {
  const patternHost = parseHost(pattern);
  if (patternHost === undefined) return false;
  const defaultPort = protocol === 'https:' ? '443' : '80';
  if ((patternHost.port || defaultPort) !== (port || defaultPort)) return false;
  return pattern.startsWith('*.')
    ? hostname.endsWith(`.${patternHost.hostname}`)
    : hostname === patternHost.hostname;
}

function parseHost(pattern: string): { readonly hostname: string; readonly port: string } | undefined {
  if (!HOST.test(pattern)) return undefined;
  const [, host = '', port = ''] = /^(?:\*\.)?(.*?)(?::(\d+))?$/.exec(pattern) ?? [];
  const url = URL.parse(`http://${host}/`);
  return url === null || Number(port) > 65_535 ? undefined : { hostname: url.hostname, port };
}

/** Returns whether the reader may see the secrets: the creator, with a key that may read. */
export function canSeeSecrets(actor: Actor, workflow: ReadWorkflowRow): boolean {
  return isCreator(actor, workflow) && hasScope(actor, 'workflows:read');
}

/** Returns the secrets as the client sent them; null if there are none. */
export function decryptSecrets(deps: Pick<Deps, 'secretsKey'>, encrypted: Buffer | null): Secrets | null {
  return encrypted === null ? null : (JSON.parse(decrypt(deps.secretsKey, encrypted)) as Secrets);
}

/** Throws 400 for an invalid host. */
function requireValidHosts(secrets: Secrets): void {
  const message = 'must be a host such as api.example.com, *.example.org or api.example.com:8443';
  const issues = Object.entries(secrets).flatMap(([name, secret]) =>
    typeof secret === 'string'
      ? []
      : secret.hosts.flatMap((host, index) =>
          parseHost(host) === undefined
            ? [{ path: `/secrets/${name}/hosts/${index}`, code: 'invalid_request', message }]
            : [],
        ),
  );
  if (issues.length > 0)
    throw new AppError('invalid_request', `Each host of a secret ${message}.`, {
      issues: issues.slice(0, 20),
    });
}

/** Encrypts the secrets. Throws 400 for a name that no config could use, and for an invalid host. */
export function encryptSecrets(deps: Pick<Deps, 'secretsKey'>, secrets: Secrets | null): Buffer | null {
  if (secrets === null) return null;
  const invalidNames = Object.keys(secrets).filter(name => !NAME.test(name));
  if (invalidNames.length > 0) {
    const message = 'must be a letter or _, then letters, digits and _, 64 at most';
    throw new AppError('invalid_request', `The name of a secret ${message}.`, {
      issues: invalidNames
        .slice(0, 20)
        .map(name => ({ path: `/secrets/${name}`, code: 'invalid_request', message })),
    });
  }
  requireValidHosts(secrets);
  return encrypt(deps.secretsKey, JSON.stringify(secrets));
}

/**
 * Returns the encrypted secrets after a PUT, which is the same buffer if nothing changes. Only the creator may change
 * secrets. If the creator has left the team, its OWNERs may replace all secrets. Ignores null from a caller who cannot
 * see the secrets.
 */
export async function changeSecrets(
  deps: Pick<Deps, 'secretsKey'>,
  tx: Tx,
  actor: Actor,
  workflow: ReadWorkflowRow,
  sent: Secrets | null | undefined,
): Promise<{ readonly secrets: Buffer | null; readonly warnings: readonly string[] }> {
  const { secrets } = workflow;
  if (sent === undefined || (sent === null && !canSeeSecrets(actor, workflow)))
    return { secrets, warnings: [] };
  if (!isCreator(actor, workflow) && !(await mayReplaceSecrets(tx, workflow)))
    return { secrets, warnings: ['Ignored: secrets. Only the creator of the workflow may set them.'] };
  const isSame = isDeepStrictEqual({ ...decryptSecrets(deps, secrets) }, { ...sent });
  return { secrets: isSame && sent !== null ? secrets : encryptSecrets(deps, sent), warnings: [] };
}

/** Returns whether the reader owns the team and the workflow's creator has left it. */
async function mayReplaceSecrets(tx: Tx, { team_id, team_role, user_id }: ReadWorkflowRow): Promise<boolean> {
  return team_id !== null && team_role === 'OWNER' && (await isOutsideTeam(tx, team_id, user_id));
}
