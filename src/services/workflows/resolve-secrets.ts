// Resolves `{{secrets.NAME}}` in a node's settings while the node runs, checks to which hosts a secret may be sent, and
// removes the values from everything that is recorded about the run.
import type { Plan } from '../../graph/plan.ts';
import { foldCase, replaceAllText, replaceInAnyCase } from '../../lib/find-text.ts';
import { listEncodings, MIN_REDACTED_LENGTH, REPLACEMENT, sortByLength } from '../../lib/redact.ts';
import { NodeError, type RunSecrets } from '../../nodes/define.ts';
import type { Tx } from '../../store/db.ts';
import { readStoredSecrets } from '../../store/workflows/workflows.ts';
import type { Deps } from '../deps.ts';
import type { RunnableGraph } from './graph-versions.ts';
import { findRefusal, type RunWithSecrets, readSecretUse } from './secret-use.ts';
import { decryptSecrets, getSecretValue, matchesHost, type Secrets } from './workflow-secrets.ts';

const PLACEHOLDER = /\{\{\s*secrets\.([A-Za-z_][A-Za-z0-9_]{0,63})\s*\}\}/g;
// Settings are nested at most ten levels (graph/parse), scene graphs at most 32.
const MAX_DEPTH = 40;

interface RunToResolve {
  readonly run: RunWithSecrets;
  /** The graph that the run executes. */
  readonly version: Pick<RunnableGraph, 'mentionsSecrets'>;
  readonly plan: Plan;
  /** By node id, the executions whose results the run uses. */
  readonly pins?: Readonly<Record<string, string>> | undefined;
}

/**
 * Returns functions that use the current secrets of the workflow; undefined if the graph refers to no secret, which
 * saves most runs a query.
 */
export async function createRunSecrets(
  deps: Pick<Deps, 'secretsKey'>,
  tx: Tx,
  { run, version, plan, pins = {} }: RunToResolve,
): Promise<RunSecrets | undefined> {
  if (!version.mentionsSecrets) return undefined;
  const { secrets: encrypted, user_id: creatorId } = await readStoredSecrets(tx, run.workflow_id);
  const secrets = decryptSecrets(deps, encrypted) ?? {};
  const needsUse = Object.values(secrets).some(secret => typeof secret === 'string');
  const use = needsUse
    ? await readSecretUse(tx, { run, plan, pinned: new Set(Object.keys(pins)), creatorId })
    : undefined;
  const encodings = Object.values(secrets).flatMap(secret => listEncodings(getSecretValue(secret)));
  const patterns = sortByLength(encodings.map(foldCase));
  return {
    replace: (setting, readSecret = name => getSecretValue(getSecret(secrets, name))) =>
      replaceIn(setting, limitLength(readSecret), 0),
    valueFor(name, first, nodeId) {
      const secret = getSecret(secrets, name);
      if (!allowsHost(secret, first, first))
        throw new NodeError(
          'secret_not_allowed',
          `The secret ${name} may not be sent to ${first.host}. The workflow's creator can allow this host.`,
        );
      const refusal = typeof secret === 'string' && use !== undefined ? findRefusal(use, nodeId) : undefined;
      if (refusal === undefined) return getSecretValue(secret);
      throw new NodeError(
        'secret_not_allowed',
        `The secret ${name} has no allowed hosts, so it is sent only ${refusal} The creator can add the hosts that may receive it.`,
      );
    },
    mayRedirect: (names, first, next) =>
      names.every(name => allowsHost(getSecret(secrets, name), first, next)),
    scrub: text => replaceInAnyCase(text, patterns, REPLACEMENT),
    conceal(text, names) {
      const values = names.map(name => getSecretValue(getSecret(secrets, name)));
      const longValues = values.filter(value => value.length >= MIN_REDACTED_LENGTH);
      return sortByLength(longValues.flatMap(listEncodings)).reduce(
        (scrubbed, encoding) => replaceAllText(scrubbed, encoding, REPLACEMENT),
        text,
      );
    },
  };
}

/** Lists the names of the secrets that the value refers to, with repetitions. */
export function findSecretNames(value: unknown): readonly string[] {
  return [...(JSON.stringify(value) ?? '').matchAll(PLACEHOLDER)].map(([, name = '']) => name);
}

/** Returns whether the secret may be sent there: without allowed hosts, only to the origin of the first request. */
function allowsHost(secret: Secrets[string], first: URL, next: URL): boolean {
  return typeof secret === 'string'
    ? next.origin === first.origin
    : secret.hosts.some(host => matchesHost(host, next));
}

/** All values that are inserted into a request have at most this many characters. */
const MAX_INSERTED = 1_000_000;

/** Returns the function with a limit of the characters of all its results, because a setting may repeat a secret. */
function limitLength(readSecret: (name: string) => string): (name: string) => string {
  let inserted = 0;
  return name => {
    const value = readSecret(name);
    inserted += value.length;
    if (inserted <= MAX_INSERTED) return value;
    throw new NodeError(
      'text_too_long',
      `The secrets in the request have more than ${MAX_INSERTED} characters. Repeat them less often.`,
    );
  };
}

/** Replaces the placeholders in a value. Throws a NodeError with the name of an unknown secret, but without values. */
function replaceIn(value: unknown, readSecret: (name: string) => string, depth: number): unknown {
  if (depth > MAX_DEPTH) return value;
  if (typeof value === 'string') return value.replace(PLACEHOLDER, (_, name: string) => readSecret(name));
  if (Array.isArray(value)) return value.map(item => replaceIn(item, readSecret, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, replaceIn(member, readSecret, depth + 1)]),
  );
}

function getSecret(secrets: Secrets, name: string): Secrets[string] {
  const secret = Object.hasOwn(secrets, name) ? secrets[name] : undefined;
  if (secret === undefined) {
    throw new NodeError('unknown_secret', `The workflow has no secret ${name}. Its creator can add it.`);
  }
  return secret;
}

/** Returns the error for the log: its name, message, stack and causes, without secrets. */
export function scrubError(err: unknown, scrub: RunSecrets['scrub'], depth = 0): unknown {
  if (!(err instanceof Error)) return scrub(String(err));
  const hasCause = err.cause !== undefined && depth < MAX_CAUSES;
  const copy = new Error(
    scrub(err.message),
    hasCause ? { cause: scrubError(err.cause, scrub, depth + 1) } : {},
  );
  copy.name = err.name;
  copy.stack = scrub(err.stack ?? '');
  return copy;
}

const MAX_CAUSES = 5;
