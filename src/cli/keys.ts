// `graphwright keys`: manages API keys, over HTTP if there is a key, else directly in the database, so that someone who
// lost every key can create another.
import type { CreatedKey, Key } from '../../sdk/src/schemas.ts';
import { SCOPES, type Scope } from '../services/accounts/actor.ts';
import { type Command, type OptionValue, UsageError } from './command.ts';
import { runAsOperator } from './operator.ts';
import type { Terminal } from './terminal/terminal.ts';
import { alignColumns, cleanText } from './terminal/text-width.ts';

const DEFAULT_SCOPES: readonly Scope[] = ['workflows:read', 'workflows:write', 'workflows:execute'];

export const createKey: Command = async ({ args, options, terminal, signal }) => {
  const [name = ''] = args;
  const request = { name, scopes: parseScopes(options.scope), ...parseExpiry(options.expires) };
  const key = await runAsOperator<CreatedKey>(signal, {
    http: client => client.post('/keys', request),
    database: async (deps, operator) =>
      (await import('../services/accounts/keys.ts')).createKey(deps, operator, request),
  });
  if (options.json === true) return terminal.print(JSON.stringify(key, null, 2));
  terminal.print(key.key);
  terminal.note(`${key.id} (${key.scopes.join(', ')}). The key above is shown only once.`);
};

export const listKeys: Command = async ({ options, terminal, signal }) => {
  const keys = await runAsOperator<readonly Key[]>(signal, {
    http: client => client.list('/keys'),
    database: async (deps, operator) => {
      const { listOwnKeys } = await import('../services/accounts/keys.ts');
      return (await listOwnKeys(deps, operator, { limit: 200 })).data;
    },
  });
  if (options.json === true) terminal.print(JSON.stringify(keys, null, 2));
  else printKeys(keys, terminal);
};

export const revokeKey: Command = async ({ args, options, terminal, signal }) => {
  const [id = ''] = args;
  await runAsOperator<unknown>(signal, {
    http: client => client.delete(`/keys/${encodeURIComponent(id)}`),
    database: async (deps, operator) =>
      (await import('../services/accounts/keys.ts')).revokeOwnKey(deps, operator, id),
  });
  terminal.print(options.json === true ? JSON.stringify({ id, revoked: true }) : `${id} is revoked.`);
};

/** Parses the scopes of `--scope`, with the scopes of everyday work as default. */
export function parseScopes(option: OptionValue): readonly Scope[] {
  if (!Array.isArray(option)) return DEFAULT_SCOPES;
  return option.map((scope: string) => {
    const knownScope = SCOPES.find(candidate => candidate === scope);
    if (knownScope === undefined)
      throw new UsageError(`--scope must be one of ${SCOPES.join(', ')}, not ${scope}.`);
    return knownScope;
  });
}

function parseExpiry(option: OptionValue): { readonly expiresAt?: string } {
  if (typeof option !== 'string') return {};
  const time = new Date(option);
  if (!(time.getTime() > Date.now()))
    throw new UsageError('--expires must be in the future, e.g. 2027-01-31.');
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
