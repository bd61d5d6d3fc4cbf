// Warns about secrets that automations and apps cannot send because they have no hosts.
import { ignoreNotFound } from '../../lib/errors.ts';
import { findSecretNames } from '../../services/workflows/resolve-secrets.ts';
import { decryptSecrets } from '../../services/workflows/workflow-secrets.ts';
import { readStoredSecrets } from '../../store/workflows/workflows.ts';
import type { RunDeps } from '../deps.ts';
import { findRunVersion, toVersionKey } from './run-version.ts';

/** One of several warnings is enough to learn the rule. */
const MAX_WARNINGS = 20;

/** Returns a member `meta` with a sentence for each secret without hosts that the version sends; nothing without any. */
export async function presentSecretWarnings(
  deps: RunDeps,
  workflowId: string,
  versionNumber: number,
): Promise<{ readonly meta?: { readonly warnings: readonly string[] } }> {
  const version = await findRunVersion(deps, toVersionKey(workflowId, versionNumber)).catch(ignoreNotFound);
  if (version?.mentionsSecrets !== true) return {};
  const { secrets: encrypted } = await readStoredSecrets(deps.db, workflowId);
  const secrets = decryptSecrets(deps, encrypted) ?? {};
  const senders = version.graph.nodes.filter(
    ({ data }) => deps.findNode(data.nodeType)?.secrets === 'in requests',
  );
  const names = new Set(senders.flatMap(({ data }) => findSecretNames(data)));
  const warnings = [...names]
    .filter(name => Object.hasOwn(secrets, name) && typeof secrets[name] === 'string')
    .slice(0, MAX_WARNINGS)
    .map(
      name =>
        `The secret ${name} has no hosts, so it is not sent in these runs. The workflow's creator can add the hosts that may receive it.`,
    );
  return warnings.length === 0 ? {} : { meta: { warnings } };
}
