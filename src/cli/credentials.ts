// `graphwright credentials`: manages the stored keys of model providers on a running service. Values come from stdin, a
// prompt or the environment, never from the command line, which other users of the machine can read.
import { stdin } from 'node:process';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text as readText } from 'node:stream/consumers';
import type { Credential, CredentialTest } from '../../sdk/src/schemas.ts';
import { readSettings } from '../lib/settings.ts';
import { findDisplayName, PROVIDER_NAMES } from '../providers/names.ts';
import { type Client, createServiceClient } from './client.ts';
import { type Command, CommandFailedError, type OptionValue, UsageError } from './command.ts';
import { getOptionText } from './options.ts';
import type { Terminal } from './terminal/terminal.ts';
import { alignColumns, cleanText } from './terminal/text-width.ts';

export const addCredential: Command = async ({ args, options, terminal, signal }) => {
  const [kind = ''] = args;
  // The argument is not repeated, because it may be a misplaced key.
  if (findDisplayName(kind) === undefined)
    throw new UsageError(`The kind must be one of: ${PROVIDER_NAMES.join(', ')}.`);
  const settings = readSettings();
  const client = createServiceClient(settings, signal);
  const baseUrl = getOptionText(options.baseUrl);
  const apiKey = settings.GRAPHWRIGHT_CREDENTIAL ?? (await readKey(signal));
  const values = { ...(apiKey === '' ? {} : { apiKey }), ...(baseUrl === undefined ? {} : { baseUrl }) };
  const owner = options.instance === true ? 'instance' : 'workspace';
  const server = getOptionText(options.server);
  const named = server === undefined ? {} : { server };
  if (options.untested !== true) {
    const outcome = await client.post<CredentialTest>('/credentials/test', { kind, values, owner, ...named });
    if (!outcome.ok)
      throw new Error(`${outcome.error ?? 'The provider did not accept the key.'} Nothing was stored.`);
  }
  const teamId = getOptionText(options.team);
  const stored = await client.post<Credential>('/credentials', {
    kind,
    name: getOptionText(options.name) ?? server ?? kind,
    owner,
    values,
    ...named,
    ...(teamId === undefined ? {} : { teamId }),
    ...(options.default === true ? { isDefault: true } : {}),
    ...parseLimit(options.limit),
  });
  const credential = options.untested === true ? stored : await testStored(client, stored);
  if (options.json === true) return terminal.print(JSON.stringify(credential, null, 2));
  terminal.print(`${credential.id} is stored.`);
};

/** Tests the stored key, so that the service records the result. */
async function testStored(client: Client, { id }: Credential): Promise<Credential> {
  await client.post(`/credentials/${id}/test`);
  return client.get<Credential>(`/credentials/${id}`);
}

export const listCredentials: Command = async ({ options, terminal, signal }) => {
  const credentials = await createServiceClient(readSettings(), signal).list<Credential>('/credentials', {
    owner: options.instance === true ? 'instance' : 'workspace',
    teamId: getOptionText(options.team),
  });
  if (options.json === true) terminal.print(JSON.stringify(credentials, null, 2));
  else printCredentials(credentials, terminal);
};

export const testCredential: Command = async ({ args, options, terminal, signal }) => {
  const [id = ''] = args;
  const client = createServiceClient(readSettings(), signal);
  const outcome = await client.post<CredentialTest>(`/credentials/${encodeURIComponent(id)}/test`);
  if (options.json === true) terminal.print(JSON.stringify(outcome, null, 2));
  if (!outcome.ok) {
    const reason = outcome.error ?? 'The provider did not accept the key.';
    throw options.json === true ? new CommandFailedError(reason) : new Error(reason);
  }
  if (options.json === true) return;
  const account = outcome.account === undefined ? '' : ` as ${cleanText(outcome.account)}`;
  terminal.print(`The provider accepted the key${account} in ${outcome.latencyMs} ms.`);
};

export const removeCredential: Command = async ({ args, options, terminal, signal }) => {
  const [id = ''] = args;
  const query = options.force === true ? '?force=true' : '';
  await createServiceClient(readSettings(), signal).delete(`/credentials/${encodeURIComponent(id)}${query}`);
  terminal.print(options.json === true ? JSON.stringify({ id, removed: true }) : `${id} is removed.`);
};

function parseLimit(option: OptionValue): { readonly dailyUsdLimit?: number } {
  if (typeof option !== 'string') return {};
  const dailyUsdLimit = Number(option);
  if (!(dailyUsdLimit >= 0)) throw new UsageError('--limit must be an amount in USD, e.g. 20.');
  return { dailyUsdLimit };
}

/** Reads the key from a pipe, or prompts for it without showing it. */
async function readKey(signal: AbortSignal): Promise<string> {
  if (stdin.isTTY !== true) return (await readText(stdin)).trim();
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() });
  // The interface turns off the terminal's echo, so it is created before the prompt is shown.
  const prompt = createInterface({ input: stdin, output: hidden, terminal: true });
  process.stderr.write('Key (not shown): ');
  try {
    return (await prompt.question('', { signal })).trim();
  } finally {
    prompt.close();
    process.stderr.write('\n');
  }
}

function printCredentials(credentials: readonly Credential[], terminal: Terminal): void {
  const rows = credentials.map(credential => [
    credential.id,
    credential.kind,
    cleanText(credential.name),
    credential.hint === null ? '' : `…${credential.hint}`,
    credential.status,
    credential.isDefault ? 'default' : '',
    credential.source,
  ]);
  for (const line of alignColumns([['id', 'kind', 'name', 'key', 'status', '', 'source'], ...rows]))
    terminal.print(line);
}
