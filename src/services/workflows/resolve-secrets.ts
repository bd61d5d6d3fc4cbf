// `{{secrets.NAME}}` in a node's settings, replaced while the node runs and nowhere else.
import { NodeError } from '../../nodes/define.ts';
import type { Tx } from '../../store/db.ts';
import { findSecrets } from '../../store/workflows/secrets.ts';
import type { Deps } from '../deps.ts';
import { decryptSecrets, type Secrets } from './workflow-secrets.ts';

const PLACE = /\{\{\s*secrets\.([A-Za-z_][A-Za-z0-9_]{0,63})\s*\}\}/g;
// A setting is nested ten levels at most (graph/parse), a scene graph 32.
const MAX_DEPTH = 40;

export type ResolveSecrets = (setting: unknown) => unknown;

/** undefined where the graph names no secret: most runs then cost no look-up. The secrets are those of now. */
export async function createResolver(
  deps: Pick<Deps, 'secretsKey'>,
  tx: Tx,
  workflowId: string,
  graphText: string,
): Promise<ResolveSecrets | undefined> {
  if (!graphText.includes('secrets.')) return undefined;
  const secrets = decryptSecrets(deps, await findSecrets(tx, workflowId)) ?? {};
  return setting => resolveIn(setting, secrets, 0);
}

/** Throws a NodeError that names a secret the workflow does not have; the message never contains a value. */
function resolveIn(value: unknown, secrets: Secrets, depth: number): unknown {
  if (depth > MAX_DEPTH) return value;
  if (typeof value === 'string') return value.replace(PLACE, (_, name: string) => secretNamed(secrets, name));
  if (Array.isArray(value)) return value.map(item => resolveIn(item, secrets, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, resolveIn(member, secrets, depth + 1)]),
  );
}

function secretNamed(secrets: Secrets, name: string): string {
  const secret = Object.hasOwn(secrets, name) ? secrets[name] : undefined;
  if (secret === undefined) {
    throw new NodeError('unknown_secret', `The workflow has no secret ${name}; its creator can set it.`);
  }
  return secret;
}
