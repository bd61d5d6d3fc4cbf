// `{{secrets.NAME}}` in a node's settings: the secrets of a run, put in while a node runs and nowhere else, each only where
// its hosts allow, and taken out of whatever is said of the run.
import { NodeError, type RunSecrets } from '../../nodes/define.ts';
import type { Tx } from '../../store/db.ts';
import { findSecrets } from '../../store/workflows/secrets.ts';
import type { Deps } from '../deps.ts';
import { decryptSecrets, matchesHost, plainValue, type Secrets } from './workflow-secrets.ts';

const PLACE = /\{\{\s*secrets\.([A-Za-z_][A-Za-z0-9_]{0,63})\s*\}\}/g;
// A setting is nested ten levels at most (graph/parse), a scene graph 32.
const MAX_DEPTH = 40;

interface SecretsOfRun {
  readonly workflow_id: string;
  /** Who started it. */
  readonly user_id: number;
}

/** undefined where the graph names no secret: most runs then cost no look-up. The secrets are those of now. */
export async function createRunSecrets(
  deps: Pick<Deps, 'secretsKey'>,
  tx: Tx,
  run: SecretsOfRun,
  graphText: string,
): Promise<RunSecrets | undefined> {
  if (!graphText.includes('secrets.')) return undefined;
  const { secrets: encrypted, user_id: creatorId } = await findSecrets(tx, run.workflow_id);
  const secrets = decryptSecrets(deps, encrypted) ?? {};
  const forms = Object.values(secrets).flatMap(secret => formsOf(plainValue(secret)));
  const patterns = longestFirst(forms).map(form => new RegExp(RegExp.escape(form), 'giu'));
  return {
    replace: (setting, valueFor = name => plainValue(secretNamed(secrets, name))) =>
      replaceIn(setting, valueFor, 0),
    valueFor(name, first) {
      const secret = secretNamed(secrets, name);
      if (mayGoTo(secret, first, first)) {
        if (typeof secret !== 'string' || run.user_id === creatorId) return plainValue(secret);
        throw new NodeError(
          'secret_not_allowed',
          `The secret ${name} has no hosts, so only runs that the workflow's creator starts may send it. Its creator can add the hosts that may get it.`,
        );
      }
      throw new NodeError(
        'secret_not_allowed',
        `The secret ${name} may not be sent to ${first.host}. The workflow's creator can add that host to it.`,
      );
    },
    mayCarry: (names, first, next) => names.every(name => mayGoTo(secretNamed(secrets, name), first, next)),
    scrub: text => patterns.reduce((words, pattern) => words.replace(pattern, HIDDEN), text),
    conceal: (text, names) =>
      longestFirst(names.flatMap(name => formsOf(plainValue(secretNamed(secrets, name)))))
        .filter(form => form.length >= MIN_CONCEALED)
        .reduce((words, form) => words.replaceAll(form, HIDDEN), text),
  };
}

const HIDDEN = '…';
/** In data, a shorter secret is found by chance. */
const MIN_CONCEALED = 6;
/** A longer value is looked for as it is. */
const MAX_ENCODED = 2048;

/** One without hosts stays at the origin that its request was written for. */
function mayGoTo(secret: Secrets[string], first: URL, next: URL): boolean {
  return typeof secret === 'string'
    ? next.origin === first.origin
    : secret.hosts.some(host => matchesHost(host, next));
}

/** The value and its usual encodings: as part of JSON, of an address, of a host name, in base64 and in hex. */
function formsOf(value: string): readonly string[] {
  if (value === '') return [];
  if (value.length > MAX_ENCODED) return [value];
  const bytes = Buffer.from(value);
  const encoded = encodeURIComponent(value.toWellFormed());
  const host = /^[^\s/?#@\\:%]+$/.test(value) ? URL.parse(`http://${value}.invalid/`)?.hostname : undefined;
  return [
    value,
    JSON.stringify(value).slice(1, -1),
    encoded,
    encoded.replaceAll('%20', '+'),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
    bytes.toString('hex'),
    ...(host === undefined ? [] : [host.slice(0, -'.invalid'.length)]),
  ].filter(form => form !== '');
}

function longestFirst(forms: readonly string[]): readonly string[] {
  return [...new Set(forms)].sort((a, b) => b.length - a.length);
}

/** Throws a NodeError that names a secret the workflow does not have; the message never contains a value. */
function replaceIn(value: unknown, valueFor: (name: string) => string, depth: number): unknown {
  if (depth > MAX_DEPTH) return value;
  if (typeof value === 'string') return value.replace(PLACE, (_, name: string) => valueFor(name));
  if (Array.isArray(value)) return value.map(item => replaceIn(item, valueFor, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, replaceIn(member, valueFor, depth + 1)]),
  );
}

function secretNamed(secrets: Secrets, name: string): Secrets[string] {
  const secret = Object.hasOwn(secrets, name) ? secrets[name] : undefined;
  if (secret === undefined) {
    throw new NodeError('unknown_secret', `The workflow has no secret ${name}; its creator can set it.`);
  }
  return secret;
}

/** The error as the log may have it: its name, message, stack and causes, without secrets. */
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
