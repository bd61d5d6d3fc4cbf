// `graphwright keys`: API keys over HTTP where there is a key, else on the database itself, so that one who lost
// every key can mint another.
import { readSettings, type Settings } from '../lib/settings.ts';
import { SCOPES, type Scope } from '../services/accounts/actor.ts';
import { connect } from './client.ts';
import type { Command, CommandInput, OptionValue } from './command.ts';
import { UsageError } from './failure.ts';
import { asOperator } from './operator.ts';
import type { Terminal } from './terminal/terminal.ts';
import { alignColumns, cleanText } from './terminal/text-width.ts';

interface Key {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
  readonly createdAt: string;
}

interface NewKey {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt?: string;
}

/** The two ways to the keys. */
interface KeyDoor {
  create(key: NewKey): Promise<Key & { readonly key: string }>;
  list(): Promise<readonly Key[]>;
  /** Throws where there is no such key. */
  revoke(id: string): Promise<void>;
}

const DEFAULT_SCOPES: readonly Scope[] = ['workflows:read', 'workflows:write', 'workflows:execute'];

export const createKey: Command = async input => {
  const { args, options, terminal } = input;
  const [name = ''] = args;
  const wanted = { name, scopes: parseScopes(options.scope), ...parseExpiry(options.expires) };
  const key = await withDoor(input, door => door.create(wanted));
  if (options.json === true) return terminal.print(JSON.stringify(key, null, 2));
  terminal.print(key.key);
  terminal.note(`${key.id} (${key.scopes.join(', ')}). The key above is shown this once.`);
};

export const listKeys: Command = async input => {
  const keys = await withDoor(input, door => door.list());
  if (input.options.json === true) input.terminal.print(JSON.stringify(keys, null, 2));
  else printKeys(keys, input.terminal);
};

export const revokeKey: Command = async input => {
  const [id = ''] = input.args;
  await withDoor(input, door => door.revoke(id));
  input.terminal.print(
    input.options.json === true ? JSON.stringify({ id, revoked: true }) : `${id} is revoked.`,
  );
};

/** The scopes of `--scope`; without it those of everyday work. */
export function parseScopes(given: OptionValue): readonly Scope[] {
  if (!Array.isArray(given)) return DEFAULT_SCOPES;
  return given.map((scope: string) => {
    const known = SCOPES.find(candidate => candidate === scope);
    if (known === undefined)
      throw new UsageError(`--scope must be one of ${SCOPES.join(', ')}, not ${scope}.`);
    return known;
  });
}

function parseExpiry(given: OptionValue): { readonly expiresAt?: string } {
  if (typeof given !== 'string') return {};
  const time = new Date(given);
  if (!(time.getTime() > Date.now()))
    throw new UsageError('--expires must be a time to come, e.g. 2027-01-31.');
  return { expiresAt: time.toISOString() };
}

function printKeys(keys: readonly Key[], terminal: Terminal): void {
  const day = (time: string | null): string => time?.slice(0, 10) ?? 'never';
  const rows = keys.map(key => [
    key.id,
    cleanText(key.name),
    day(key.lastUsedAt),
    day(key.expiresAt),
    key.scopes.join(' '),
  ]);
  for (const line of alignColumns([['id', 'name', 'last used', 'expires', 'scopes'], ...rows]))
    terminal.print(line);
}

async function withDoor<T>({ signal }: CommandInput, work: (door: KeyDoor) => Promise<T>): Promise<T> {
  const settings = readSettings();
  return settings.GRAPHWRIGHT_API_KEY === undefined
    ? onDatabase(settings, work)
    : work(overHttp(settings, signal));
}

function overHttp(settings: Settings, signal: AbortSignal): KeyDoor {
  const client = connect(settings, signal);
  return {
    create: key => client.post('/keys', key),
    list: async () => (await client.get<{ data: readonly Key[] }>('/keys?limit=200')).data,
    revoke: async id => void (await client.delete(`/keys/${encodeURIComponent(id)}`)),
  };
}

async function onDatabase<T>(settings: Settings, work: (door: KeyDoor) => Promise<T>): Promise<T> {
  const services = await import('../services/accounts/keys.ts');
  return asOperator(settings, (deps, operator) =>
    work({
      create: key => services.createKey(deps, operator, key),
      list: async () => (await services.listOwnKeys(deps, operator, { limit: 200 })).data,
      revoke: id => services.revokeOwnKey(deps, operator, id),
    }),
  );
}
