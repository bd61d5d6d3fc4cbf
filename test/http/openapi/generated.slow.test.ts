// Sends the document's examples and generated bodies to the service. Every response must match the document (the app
// under test checks each against its schema), none may be a 500, and bodies that the document refuses must be refused.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { ERROR_CODES } from '../../../src/lib/errors.ts';
import { seededRandom } from '../../../src/lib/seeded-random.ts';
import { type Caller, createTestApp, type Method, type TestApp } from '../../support/app.ts';
import { FAST_AJV_OPTIONS } from '../../support/http/conformance.ts';
import { type BodySchema, corrupt, generateBody } from '../../support/http/random-body.ts';
import { createWorkflow } from '../../support/workflows.ts';
import type { OpenApi, OpenApiOperation } from './recorder.ts';

const SECRET = 'content-secret-of-the-test';
/** Set SEED to send other bodies. It is printed with a failure. */
const SEED = Number(process.env.SEED ?? 14);
const BODIES = 12;
/**
 * Skipped: one renders, which takes long and is tested elsewhere, and the examples of the others name a credential and
 * nodes that do not exist.
 */
const LEFT_OUT = ['previewRender', 'chooseWorkflowCredentials', 'setWorkflowApp'];
/** Operations that report problems of a graph without refusing it. */
const LINTS = ['lintGraph', 'lintWorkflow'];
/** Codes of the document with status 500: errors of the content webhook. */
const REFUSALS = new Set(['duplicate_title', 'author_missing']);

interface Sendable {
  readonly operation: OpenApiOperation;
  readonly method: Method;
  readonly path: string;
  readonly pointer: string;
  readonly schema: BodySchema;
  readonly example: unknown;
}

let test: TestApp;
let caller: Caller;
let document: OpenApi;
let schemas: Readonly<Record<string, BodySchema>>;
let sendables: readonly Sendable[];
let ids: Readonly<Record<string, string>>;
before(async () => {
  test = await createTestApp({ env: { CONTENT_WEBHOOK_SECRET: SECRET } });
  caller = await test.createCaller();
  document = (await test.app.inject('/openapi.json')).json<OpenApi>();
  schemas = (document.components as unknown as { schemas: Record<string, BodySchema> }).schemas;
  sendables = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => toSendable(path, method, operation)),
  );
  const folder = await caller.request<{ id: string }>('POST', '/folders', { name: 'F' });
  const team = await caller.request<{ id: string }>('POST', '/teams', { name: 'T' });
  const key = await caller.request<{ id: string }>('POST', '/keys', {
    name: 'K',
    scopes: ['workflows:read'],
  });
  const run = await startRun();
  ids = { folders: folder.body.id, teams: team.body.id, keys: key.body.id, executions: run };
});
after(() => test.close());

async function startRun(): Promise<string> {
  const { id } = await createWorkflow(caller, {});
  return (await caller.request<{ executionId: string }>('POST', `/workflows/${id}/run`, {})).body.executionId;
}

function toSendable(path: string, method: string, operation: OpenApiOperation): Sendable[] {
  const json = operation.requestBody?.content['application/json'] as
    | { readonly schema?: BodySchema; readonly examples?: Readonly<Record<string, { value: unknown }>> }
    | undefined;
  if (json?.schema === undefined || LEFT_OUT.includes(operation.operationId)) return [];
  const parts = ['paths', path, method, 'requestBody', 'content', 'application/json', 'schema'];
  const escapePart = (part: string): string =>
    encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
  return [
    {
      operation,
      path,
      method: method.toUpperCase() as Method,
      pointer: `document#/${parts.map(escapePart).join('/')}`,
      schema: json.schema,
      example: Object.values(json.examples ?? {})[0]?.value,
    },
  ];
}

/** Sends the body to a new workflow, or to existing resources of other kinds. */
async function send({ method, path }: Sendable, body: unknown): Promise<{ status: number; code: string }> {
  const id = path.includes('/workflows/{id}') ? (await createWorkflow(caller, {})).id : undefined;
  const address = path.replace(
    /([^/]+)\/\{(\w+)\}/g,
    (_, kind: string, name: string) =>
      `${kind}/${name === 'id' ? ((kind === 'workflows' ? id : ids[kind]) ?? 'none_1') : '999'}`,
  );
  const response = await test.app.inject({
    method,
    url: address,
    headers: {
      authorization: `Bearer ${path.startsWith('/api/content') ? SECRET : caller.key}`,
      'content-type': 'application/json',
    },
    payload: JSON.stringify(body),
  });
  const { code = '' } = response.body === '' ? {} : response.json<{ code?: string }>();
  return { status: response.statusCode, code };
}

const isDefect = ({ status, code }: { status: number; code: string }): boolean =>
  status >= 500 && !REFUSALS.has(code);

it('accepts its own examples and returns documented responses', async () => {
  const wrong: string[] = [];
  for (const sendable of sendables) {
    const response = await send(sendable, sendable.example);
    if (isDefect(response) || ['invalid_json', 'invalid_request'].includes(response.code))
      wrong.push(`${sendable.operation.operationId}: ${response.status} ${response.code}`);
  }
  assert.ok(sendables.length > 30, String(sendables.length));
  assert.deepEqual(wrong, []);
});

it(`refuses what the document refuses, and never fails (SEED=${SEED})`, async () => {
  const ajv = new Ajv2020(FAST_AJV_OPTIONS);
  ajv.addSchema(document, 'document');
  const wrong: string[] = [];
  const seen = { fits: 0, misses: 0 };
  for (const [at, sendable] of sendables.entries()) {
    const roll = seededRandom(SEED + at);
    const validate = ajv.compile({ $ref: sendable.pointer });
    for (let i = 0; i < BODIES; i++) {
      const fitting = i % 4 === 3 ? sendable.example : generateBody(sendable.schema, schemas, roll);
      const body = i % 2 === 0 ? fitting : corrupt(fitting, roll);
      // null is not a valid body where the body is optional.
      const fits =
        validate(body) ||
        (body === null && sendable.operation.requestBody?.required === false) ||
        LINTS.includes(sendable.operation.operationId);
      seen[fits ? 'fits' : 'misses']++;
      const response = await send(sendable, body);
      const line = `${sendable.operation.operationId} ${response.status} ${response.code} ${JSON.stringify(body).slice(0, 300)}`;
      if (isDefect(response)) wrong.push(`fails: ${line}`);
      if (!fits && response.status < 300)
        wrong.push(`takes what the document refuses (${ajv.errorsText(validate.errors)}): ${line}`);
      if (response.code !== '' && !(response.code in ERROR_CODES)) wrong.push(`no such code: ${line}`);
    }
  }
  assert.ok(seen.fits > 150 && seen.misses > 80, JSON.stringify(seen));
  assert.deepEqual(wrong, []);
});
