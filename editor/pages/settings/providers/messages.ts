// Defines the messages of the providers and their keys.
import { formatNumber } from '../../../lib/format.ts';

type ServerRoute = 'chat' | 'images' | 'speech' | 'transcriptions' | 'embeddings';

const ROUTES: Readonly<Record<ServerRoute, string>> = {
  chat: 'Text',
  images: 'Images',
  speech: 'Speech',
  transcriptions: 'Transcriptions',
  embeddings: 'Embeddings',
};

export const messages = {
  instanceDescription:
    'Services that run models. A key added here is shared: everyone on this instance can use it, and pays in credits.',
  workspaceDescription: (workspace: string): string =>
    `Keys of ${workspace}. Runs that use them cost no credits: the provider bills you.`,
  readOnly: (workspace: string): string =>
    `Only owners of ${workspace} can change its keys. Ask one of them to add a key.`,
  addKey: 'Add key',
  addServer: 'Add server',
  localModels: 'Nodes that run on this machine',
  localModelsReady: (nodes: readonly string[]): string =>
    `They need no key and cost no credits: ${nodes.join(', ')}.`,
  localModelsMissing: (nodes: readonly string[]): string =>
    `Not available: ${nodes.join(', ')}. They are turned off by LOCAL_NODES, or their packages are not installed; graphwright doctor says how to get them.`,
  localServers: 'Servers on this machine',
  localServersDescription:
    'Ollama, LM Studio, stable-diffusion.cpp, Kokoro, whisper.cpp and others, on the machine of this service. Nodes that choose one by its name cost no credits.',
  findLocalServers: 'Find local servers',
  noLocalServers: 'No server answers on the usual ports.',
  addFoundShort: 'Add',
  addFound: (name: string): string => `Add ${name}`,
  addedServer: 'Added',
  serves: (routes: readonly ServerRoute[]): string => routes.map(route => ROUTES[route]).join(', '),
  foundModels: (models: readonly string[]): string => {
    const names = models.slice(0, 3).join(', ');
    return models.length > 3 ? `${names} and ${formatNumber(models.length - 3)} more` : names;
  },
  serverName: (server: string): string => `Server ${server}`,
  addAnother: 'Add another key',
  addTitle: (provider: string): string => `Add a key for ${provider}`,
  replace: 'Replace key',
  replaceTitle: (name: string): string => `Replace ${name}`,
  apiKey: 'API key',
  optionalKey: 'Authorization header (optional)',
  address: 'Server address',
  compatible: 'Use a compatible server',
  keyHint: 'The key is tested, then stored encrypted. It is never shown again.',
  addressHint: 'The server address is tested before it is saved.',
  replacedAddressHint: 'Enter the server address again. If it is empty, requests go to OpenAI.',
  getKey: (provider: string): string => `Get a key from ${provider}`,
  submit: 'Test and save',
  added: (provider: string): string => `${provider} is ready. Its models can run now.`,
  replaced: (name: string): string => `${name} was replaced.`,
  testFailed: (reason: string): string => `Nothing was saved. ${reason}`,
  status: { ok: 'Ready', failed: 'Rejected', untested: 'Not tested' },
  noInstanceKey: 'Not set up',
  noWorkspaceKey: 'No workspace key',
  unreachable: 'Unreachable',
  environmentHint: (setting: string): string =>
    `Set by ${setting}. To change it, edit the settings and restart the service.`,
  keyEnding: (hint: string): string => `Key ending in ${hint}`,
  tested: 'Tested',
  lastUsed: 'Last used',
  neverUsed: 'Not used yet',
  uses: (workflows: number, calls: number): string =>
    `Used by ${formatNumber(workflows)} ${workflows === 1 ? 'workflow' : 'workflows'}, ${formatNumber(calls)} ${calls === 1 ? 'call' : 'calls'} in progress`,
  limit: (usd: number): string => `At most ${formatNumber(usd)} USD a day`,
  setLimit: 'Set daily limit',
  limitTitle: (name: string): string => `Daily limit for ${name}`,
  limitLabel: 'USD per day (UTC)',
  limitHint: 'Runs that would cost more are refused. Leave empty for no limit.',
  limitSaved: 'The daily limit was saved.',
  defaultBadge: 'Default',
  makeDefault: 'Make default',
  madeDefault: (name: string): string => `${name} is now the default.`,
  test: 'Test',
  testPassed: (name: string): string => `${name} works.`,
  actionsOf: (name: string): string => `Actions for ${name}`,
  remove: 'Remove',
  removeTitle: (name: string): string => `Remove ${name}?`,
  removeText:
    'New requests with this key will fail. Requests already sent will finish. The key itself stays valid at the provider.',
  removed: (name: string): string => `${name} was removed.`,
} as const;
