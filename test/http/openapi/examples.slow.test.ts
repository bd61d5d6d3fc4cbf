// Tests that the examples of the OpenAPI document match responses of the service. tour.ts sends the requests. With
// `--write`, this file records the responses as the new examples.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { ERROR_CODES } from '../../../src/lib/errors.ts';
import { newId } from '../../../src/lib/ids.ts';
import { insertGrant } from '../../../src/services/oauth/store/grants.ts';
import { FAST_AJV_OPTIONS } from '../../support/http/conformance.ts';
import { findFreePort } from '../../support/network/free-port.ts';
import { type Receiver, startReceiver } from '../../support/network/receiver.ts';
import { waitUntil } from '../../support/processes.ts';
import { KEY, startTestService, type TestService } from '../../support/service.ts';
import { AUDITED, NOT_AUDITED, SOMETIMES_AUDITED } from './audited-operations.ts';
import {
  findOperation,
  listDifferences,
  type OpenApi,
  type OpenApiResponse,
  type RecordedExamples,
  toExample,
} from './recorder.ts';
import { type PolledBody, type SendRequest, tour } from './tour.ts';

const FILE = join(import.meta.dirname, '../../../src/http/openapi/examples.json');
const SECRET = 'content-secret-of-the-test';
const recordedExamples: RecordedExamples = { responses: {}, requests: {}, errors: {} };

/** Codes without a recorded example, with the reason. */
const NOT_RECORDED: Readonly<Record<string, string>> = {
  run_output_too_large: 'needs a run with much output',
  comfyui_missing: 'needs a ComfyUI server that was checked',
  svg_not_drawable: 'needs a provider that is paid',
  local_nodes_off: 'needs a service with LOCAL_NODES=off',
  daily_execution_limit: 'needs fifty runs of a free account, at ten a minute',
  component_too_deep: 'needs ten workflows',
  component_too_large: 'needs thousands of nodes',
  response_too_large: 'is not sent by any route',
  idempotency_in_progress: 'needs two concurrent requests',
  too_many_streams: 'needs twenty streams that stay open',
  render_busy: 'needs more concurrent renders than there are slots',
  upload_busy: 'needs more concurrent uploads than there are slots',
  request_timeout: 'needs a minute of waiting',
  storage_quota_exceeded: 'needs a gigabyte of files of a free account',
  codec_failed: 'needs a broken codec',
  credentials_off: 'needs a service with CREDENTIALS=off',
  daily_limit_exceeded: 'needs a credential whose calls were billed',
  internal_error: 'needs a defect',
  unavailable: 'needs an outage',
  sign_in_refused: 'needs an OpenID provider',
  unreadable_media: 'appears only in the records of runs',
  not_acceptable: 'is not sent by any route',
};
/** The requests that may have changed something. */
const successes: { readonly operationId: string; readonly requestId: string }[] = [];
/** What responses showed once: keys, links, codes. */
const secrets = new Set([KEY, SECRET, 'sk-nobody', 'sk-studio-0123456789', 'sk-studio-9876543210']);
const MAX_DOCUMENT_BYTES = 1_050_000;
const MAX_FILE_BYTES = 200_000;

const CONNECTION = {
  user_id: 1,
  client_id: 'https://agent.example.com/client.json',
  client_name: 'Agent',
  redirect_host: 'agent.example.com',
  scopes: ['workflows:read', 'workflows:execute'],
  refused: ['workflows:write'],
};

let service: TestService;
let receiver: Receiver;
let document: OpenApi;
before(async () => {
  receiver = await startReceiver();
  const port = await findFreePort();
  const env = {
    PORT: String(port),
    BASE_URL: `http://localhost:${port}`,
    CONTENT_WEBHOOK_SECRET: SECRET,
    OPENAI_API_KEY: 'sk-nobody',
    OPENAI_BASE_URL: receiver.url,
  };
  // No mail server listens there, so mails wait.
  const mail = { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'graphwright@example.com' };
  service = await startTestService({ ...env, ...mail });
  document = (await (await fetch(`${service.url}/openapi.json`)).json()) as OpenApi;
  const keys: Record<string, string> = { admin: KEY, content: SECRET, wrong: 'sk-wrong-0123456789' };
  const send: SendRequest = async (method, path, body, { headers = {}, who = 'admin' } = {}) => {
    const { 'x-raw': rawFormat, ...otherHeaders } = headers;
    const key = keys[who];
    const response = await fetch(`${service.url}${path}`, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(30_000),
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined
          ? {}
          : { 'content-type': rawFormat === 'text' ? 'text/plain' : 'application/json' }),
        ...otherHeaders,
      },
      ...(body === undefined ? {} : { body: rawFormat === undefined ? JSON.stringify(body) : String(body) }),
    });
    const result = { status: response.status, body: JSON.parse((await response.text()) || 'null') };
    const operationId = findOperation(document, method, path)?.operationId;
    if (operationId === undefined) assert.equal(response.status, 405, `${method} ${path}`);
    record(operationId ?? '', result);
    const requestId = response.headers.get('x-request-id') ?? '';
    if (response.ok && method !== 'GET') successes.push({ operationId: operationId ?? '', requestId });
    for (const secret of listSecrets(result.body)) secrets.add(secret);
    if (response.ok && operationId !== undefined && body !== undefined && rawFormat === undefined)
      recordedExamples.requests[operationId] ??= toExample(body);
    return { ...result, cookie: response.headers.getSetCookie()[0]?.split(';')[0] ?? '' };
  };
  const graph = JSON.parse(
    readFileSync(join(import.meta.dirname, '../../../examples/postcard.json'), 'utf8'),
  );
  await tour({
    send,
    origin: env.BASE_URL,
    addKey: (name, key) => {
      keys[name] = key;
    },
    authorize: async () => {
      const id = newId('connection');
      await insertGrant(service.db, { id, ...CONNECTION, has_second_factor: false, created_at: new Date() });
      return id;
    },
    graph: { nodes: graph.nodes.slice(0, 2), edges: graph.edges.slice(0, 1) },
    receiver,
    waitFor: (path, isExpected) =>
      waitUntil(path, async () => isExpected((await service.request<PolledBody>('GET', path)).body)),
  });
  if (process.argv.includes('--write')) {
    const sortByKey = (object: object) =>
      Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
    const file = {
      responses: sortByKey(recordedExamples.responses),
      requests: sortByKey(recordedExamples.requests),
      errors: sortByKey(recordedExamples.errors),
    };
    writeFileSync(FILE, JSON.stringify(file));
    execFileSync(join(import.meta.dirname, '../../../node_modules/.bin/biome'), ['format', '--write', FILE]);
  }
});
after(async () => {
  await service.close();
  await receiver.close();
});

function record(
  operationId: string,
  { status, body }: { readonly status: number; readonly body: unknown },
): void {
  const { code } = (body ?? {}) as { code?: string };
  if (status >= 300 && code !== undefined) recordedExamples.errors[code] ??= toExample(body);
  else recordedExamples.responses[`${operationId} ${status}`] ??= toExample(body);
}

/** Lists the texts in a response that give access: those of members with such names. */
function listSecrets(value: unknown, name = ''): readonly string[] {
  if (typeof value === 'string')
    return /^(key|apiKey|secret|uri|challenge|inviteUrl|uploadUrl|codes)$/.test(name) && value.length >= 8
      ? [value]
      : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    listSecrets(member, Array.isArray(value) ? name : key),
  );
}

/** Returns the path and method of an operation. */
const findPathAndMethod = (id: string): readonly string[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { operationId }]) =>
      operationId === id ? [path, method] : [],
    ),
  );

/** Returns the response, or the component that it refers to. */
function resolveResponse(response: OpenApiResponse): OpenApiResponse {
  const name = response.$ref?.split('/').at(-1);
  return name === undefined ? response : (document.components.responses[name] ?? {});
}

const listOperations = () => Object.values(document.paths).flatMap(methods => Object.values(methods));

describe('examples of the OpenAPI document', () => {
  let storedExamples: RecordedExamples;
  before(() => {
    storedExamples = JSON.parse(readFileSync(FILE, 'utf8')) as RecordedExamples;
  });

  it('match current responses (record them with node test/http/openapi/examples.slow.test.ts --write)', () => {
    assert.deepEqual(listDifferences(storedExamples, recordedExamples), []);
  });

  it('exist for every operation and status with a JSON response', () => {
    const missing = listOperations().flatMap(({ operationId, responses }) =>
      Object.entries(responses)
        .filter(([, response]) => {
          const { content = {} } = resolveResponse(response);
          const json = content['application/json'];
          return json !== undefined && Object.keys(json.examples ?? {}).length === 0;
        })
        .map(([status]) => `${operationId} ${status}`),
    );
    assert.deepEqual(missing, [], 'add a step to tour.ts and record again, or add an example to examples.ts');
  });

  it('exist for every JSON request body', () => {
    const missing = listOperations().filter(
      ({ operationId, requestBody }) =>
        requestBody?.content['application/json'] !== undefined && !(operationId in storedExamples.requests),
    );
    assert.deepEqual(
      missing.map(({ operationId }) => operationId),
      [],
    );
  });

  it('exist for every error code that is not in NOT_RECORDED', () => {
    const missing = Object.keys(ERROR_CODES).filter(code => !(code in storedExamples.errors));
    assert.deepEqual(missing.sort(), Object.keys(NOT_RECORDED).sort());
    for (const [code, { value }] of Object.entries(document.components.examples))
      assert.equal((value as { code: string }).code, code);
  });

  it('keep the document below 1.05 MB', async () => {
    const run = listOperations().find(({ operationId }) => operationId === 'runWorkflow');
    assert.deepEqual(run?.responses['202']?.content?.['application/json']?.examples, {
      recorded: { summary: 'A recorded response', value: storedExamples.responses['runWorkflow 202'] },
    });
    assert.deepEqual(document.components.examples.not_found?.value, storedExamples.errors.not_found);
    const bytes = Buffer.byteLength(JSON.stringify(document));
    assert.ok(bytes < MAX_DOCUMENT_BYTES, `${bytes} bytes`);
    assert.ok(statSync(FILE).size < MAX_FILE_BYTES);
  });

  it('match their schemas', () => {
    const ajv = new Ajv2020(FAST_AJV_OPTIONS);
    ajv.addSchema(document, 'document');
    const escapePart = (part: string): string =>
      encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
    for (const [path, methods] of Object.entries(document.paths))
      for (const [method, { operationId, responses }] of Object.entries(methods))
        for (const status of Object.keys(responses)) {
          const example = storedExamples.responses[`${operationId} ${status}`];
          if (example === undefined) continue;
          const pointer = [
            'paths',
            path,
            method,
            'responses',
            status,
            'content',
            'application/json',
            'schema',
          ];
          const validate = ajv.compile({ $ref: `document#/${pointer.map(escapePart).join('/')}` });
          assert.ok(validate(example), `${operationId} ${status}: ${ajv.errorsText(validate.errors)}`);
        }
    for (const [operationId, example] of Object.entries(storedExamples.requests)) {
      const [path = '', method = ''] = findPathAndMethod(operationId);
      const pointer = ['paths', path, method, 'requestBody', 'content', 'application/json', 'schema'];
      const validate = ajv.compile({ $ref: `document#/${pointer.map(escapePart).join('/')}` });
      assert.ok(validate(example), `${operationId}: ${ajv.errorsText(validate.errors)}`);
    }
    const validateError = ajv.compile({ $ref: 'document#/components/schemas/Error' });
    for (const [code, { value }] of Object.entries(document.components.examples))
      assert.ok(validateError(value), code);
  });
});

interface AuditRow {
  readonly action: string;
  readonly request_id: string | null;
  readonly text: string;
}

describe('the audit log', () => {
  let rows: readonly AuditRow[];
  before(async () => {
    ({ rows } = await service.db.query<AuditRow>(
      'select action, request_id, row_to_json(audit_events)::text as text from audit_events',
    ));
  });

  it('knows every operation that changes something (add new ones to audited-operations.ts)', () => {
    const changing = Object.values(document.paths)
      .flatMap(Object.entries)
      .flatMap(([method, { operationId }]) => (method === 'get' ? [] : operationId))
      .sort();
    const tables = [AUDITED, SOMETIMES_AUDITED, NOT_AUDITED];
    const listed = tables.flatMap(Object.keys).sort();
    assert.deepEqual(listed, changing);
  });

  it('has exactly one row of each action', () => {
    const found = successes.map(({ operationId, requestId }) => ({
      operationId,
      actions: rows.filter(row => row.request_id === requestId).map(({ action }) => action),
    }));
    const wrong = found.filter(({ operationId, actions }) => {
      const required = AUDITED[operationId];
      const allowed: readonly string[] = [required ?? SOMETIMES_AUDITED[operationId] ?? []].flat();
      const isOnce = new Set(actions).size === actions.length;
      return (
        !isOnce || !actions.every(action => allowed.includes(action)) || (required && actions.length === 0)
      );
    });
    assert.deepEqual(wrong, []);
    const toured = new Set(successes.map(({ operationId }) => operationId));
    const untested = Object.keys(AUDITED).filter(operationId => !toured.has(operationId));
    assert.deepEqual(untested, [], 'add a successful step to the tour');
  });

  it('contains no secret that a request or response showed', () => {
    assert.ok(secrets.size > 8 && rows.length > 50, `${secrets.size} secrets, ${rows.length} rows`);
    for (const { text } of rows)
      for (const secret of secrets) assert.ok(!text.includes(secret), `${secret} in ${text}`);
  });
});
