// Generates example requests in curl, in JavaScript with the SDK, and in Python.
import { findExample, type Operation } from './document.ts';

export interface CodeSample {
  readonly language: 'curl' | 'JavaScript' | 'Python';
  readonly code: string;
}

/** A header whose value comes from an environment variable. */
interface Secret {
  readonly header: string;
  /** The start of the value. */
  readonly prefix: string;
  readonly variable: string;
}

interface SampleRequest {
  readonly method: string;
  /** Path below the origin, with example values for its parameters. */
  readonly path: string;
  readonly origin: string;
  readonly secrets: readonly Secret[];
  readonly body: unknown;
}

const KEY: Secret = { header: 'Authorization', prefix: 'Bearer ', variable: 'GRAPHWRIGHT_API_KEY' };
const SECRETS: Readonly<Record<string, readonly Secret[]>> = {
  apiKey: [KEY],
  session: [{ header: 'Cookie', prefix: 'session=', variable: 'GRAPHWRIGHT_SESSION' }],
  contentSecret: [{ ...KEY, variable: 'CONTENT_WEBHOOK_SECRET' }],
};

const ID_SUFFIX = '01jd8x3k5m7p9r1t3v5w7y9z0b';
/** Example ids, by the path segment before `{id}`. */
const EXAMPLE_IDS: Readonly<Record<string, string>> = {
  workflows: `wf_${ID_SUFFIX}`,
  executions: `ex_${ID_SUFFIX}`,
  folders: `fld_${ID_SUFFIX}`,
  teams: `team_${ID_SUFFIX}`,
  keys: `key_${ID_SUFFIX}`,
  media: `med_${ID_SUFFIX}`,
  sessions: `ses_${ID_SUFFIX}`,
  renderer: `rnd_${ID_SUFFIX}`,
  templates: 'quote-card',
  flow: `wf_${ID_SUFFIX}`,
};
/** Example values of other path parameters. */
const EXAMPLE_VALUES: Readonly<Record<string, string>> = {
  mediaId: `med_${ID_SUFFIX}`,
  deliveryId: `dlv_${ID_SUFFIX}`,
  userId: '2',
  version: '1',
  slug: 'postcard',
  name: 'picture.png',
  provider: 'fal',
  token: 'token',
};

/** Returns an example value of a path parameter. */
export function getPathValue(path: string, name: string): string {
  const segment = new RegExp(`/([^/]+)/\\{${name}\\}`).exec(path)?.[1] ?? '';
  return EXAMPLE_VALUES[name] ?? EXAMPLE_IDS[segment] ?? 'id';
}

/** Generates the request of the operation in each language. */
export function listSamples(operation: Operation, origin: string): readonly CodeSample[] {
  const credentials = Object.keys(operation.security?.[0] ?? {});
  const request: SampleRequest = {
    method: operation.method,
    path: operation.path.replace(/\{(\w+)\}/g, (_, name: string) => getPathValue(operation.path, name)),
    origin,
    secrets: SECRETS[credentials[0] ?? ''] ?? [],
    body: findExample(operation.requestBody?.content?.['application/json']),
  };
  const isForm = operation.requestBody?.content?.['multipart/form-data'] !== undefined;
  return [
    { language: 'curl', code: toCurl(request, isForm) },
    { language: 'JavaScript', code: toJavaScript(request, operation.operationId) },
    { language: 'Python', code: toPython(request) },
  ];
}

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function toCurl({ method, origin, path, secrets, body }: SampleRequest, isForm: boolean): string {
  const headers = secrets.map(({ header, prefix, variable }) => `-H "${header}: ${prefix}$${variable}"`);
  // The service accepts a session cookie only with an Origin header, which browsers send.
  if (secrets.some(({ header }) => header === 'Cookie') && method !== 'GET')
    headers.push(`-H ${quote(`Origin: ${origin}`)}`);
  const content = isForm
    ? ["-F 'file=@picture.png'"]
    : body === undefined
      ? []
      : ["-H 'Content-Type: application/json'", `-d ${quote(JSON.stringify(body, null, 2))}`];
  const verb = method === 'GET' || (method === 'POST' && content.length > 0) ? '' : `-X ${method} `;
  return [`curl ${verb}${quote(origin + path)}`, ...headers, ...content].join(' \\\n  ');
}

const formatClient = (origin: string, secret: Secret | undefined): string =>
  `import { createClient } from '@graphwright/sdk';

const graphwright = createClient({
  url: '${origin}',${secret === undefined ? '' : `\n  apiKey: process.env.${secret.variable},`}
});
`;

/** Operations that have a method in the SDK. */
const SDK_CALLS: Readonly<Record<string, (id: string, body: string) => string>> = {
  runWorkflow: (id, body) =>
    `const run = await graphwright.run('${id}', ${body});\nfor (const { label, url, text } of await run.outputs()) console.log(label, url ?? text);`,
  getExecution: id => `console.log(await graphwright.attach('${id}').get());`,
  cancelExecution: id => `console.log(await graphwright.attach('${id}').cancel());`,
  streamExecution: id =>
    `for await (const { event, data } of graphwright.attach('${id}').events()) console.log(event, data);`,
  uploadMedia: () =>
    `const media = await graphwright.upload(await openAsBlob('picture.png', { type: 'image/png' }));\nconsole.log(media.url);`,
};

function toJavaScript({ method, origin, path, secrets, body }: SampleRequest, operationId: string): string {
  const bodyLiteral = body === undefined ? '{}' : toLiteral(body);
  const formatCall = SDK_CALLS[operationId];
  const id = path.split('/')[4] ?? '';
  // Browsers send the session cookie themselves. Other programs use a key.
  const secret = secrets.find(({ header }) => header !== 'Cookie');
  const head = formatClient(origin, secret);
  if (formatCall !== undefined) {
    const files = operationId === 'uploadMedia' ? "import { openAsBlob } from 'node:fs';\n" : '';
    return `${files}${head}\n${formatCall(id, bodyLiteral)}`;
  }
  if (!path.startsWith('/api/'))
    return `const response = await fetch('${origin}${path}'${method === 'GET' ? '' : `, { method: '${method}' }`});\nconsole.log(response.status, await response.text());`;
  if (/^list/.test(operationId) && method === 'GET' && !UNPAGED.has(operationId))
    return `${head}\nfor await (const item of graphwright.list('${path.replace('/api/v1', '')}')) console.log(item);`;
  const options = body === undefined ? '' : `, {\n  body: ${bodyLiteral.replaceAll('\n', '\n  ')},\n}`;
  return `${head}\nconst result = await graphwright.request('${method}', '${path.replace('/api/v1', '')}'${options});\nconsole.log(result);`;
}

/** Lists that are not paginated. */
const UNPAGED: ReadonlySet<string> = new Set([
  'listNodes',
  'listModels',
  'listAddedModels',
  'listVideoTemplates',
  'listSignInMethods',
]);

/** Formats a value as a JavaScript literal, with quotes only where names need them. */
function toLiteral(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(/^(\s*)"([A-Za-z_$][\w$]*)":/gm, '$1$2:');
}

function toPython({ method, origin, path, secrets, body }: SampleRequest): string {
  const headers = secrets.map(
    ({ header, prefix, variable }) => `    "${header}": "${prefix}" + os.environ["${variable}"],`,
  );
  if (secrets.some(({ header }) => header === 'Cookie')) headers.push(`    "Origin": "${origin}",`);
  if (body !== undefined) headers.push('    "Content-Type": "application/json",');
  const lines = [
    'import json',
    ...(secrets.length > 0 ? ['import os'] : []),
    'import urllib.request',
    '',
    'request = urllib.request.Request(',
    `    "${origin}${path}",`,
    `    method="${method}",`,
    ...(headers.length > 0 ? ['    headers={', ...headers.map(line => `    ${line}`), '    },'] : []),
    ...(body === undefined ? [] : [`    data=json.dumps(${toPythonLiteral(body, '    ')}).encode(),`]),
    ')',
    'with urllib.request.urlopen(request) as response:',
    '    print(response.status, response.read().decode())',
  ];
  return lines.filter(line => body !== undefined || line !== 'import json').join('\n');
}

const PYTHON_LITERALS: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' };

function toPythonLiteral(value: unknown, indent: string): string {
  const memberIndent = `${indent}    `;
  if (Array.isArray(value))
    return value.length === 0
      ? '[]'
      : `[\n${value.map(item => `${memberIndent}${toPythonLiteral(item, memberIndent)},\n`).join('')}${indent}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value);
    return members.length === 0
      ? '{}'
      : `{\n${members.map(([name, member]) => `${memberIndent}${JSON.stringify(name)}: ${toPythonLiteral(member, memberIndent)},\n`).join('')}${indent}}`;
  }
  const text = JSON.stringify(value);
  return PYTHON_LITERALS[text] ?? text;
}
