// Sends the examples of the OpenAPI document and generated bodies to the service, which must reject bodies that violate
// their schemas and must never return 500. The test app checks every response against its schema.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { ERROR_CODES } from '../../../src/lib/errors.ts';
import { createSeededRandom } from '../../../src/lib/seeded-random.ts';
import { type ApiUser, createTestApp, type Method, type TestApp } from '../../support/app.ts';
import { FAST_AJV_OPTIONS } from '../../support/http/conformance.ts';
import { type BodySchema, corrupt, generateBody } from '../../support/http/random-body.ts';
import { isNightly } from '../../support/tier.ts';
import { createWorkflow } from '../../support/workflows.ts';
import type { OpenApi, OpenApiOperation } from './recorder.ts';

const SECRET = 'content-secret-of-the-test';
/** Set SEED to send other bodies. The title of the test contains the seed. */
const SEED = Number(process.env.SEED ?? 14);
const BODIES_PER_OPERATION = isNightly ? 12 : 4;
/** The preview is skipped because renders are slow, the other operations because their examples contain unknown ids. */
const SKIPPED = ['previewRender', 'chooseWorkflowCredentials', 'replaceGroupMappings', 'setWorkflowApp'];
/** Operations that report problems of a graph without rejecting it. */
const LINT_OPERATIONS = ['lintGraph', 'lintWorkflow'];
/** Documented errors of the content webhook with status 500. */
const DOCUMENTED_500_CODES = new Set(['duplicate_title', 'author_missing']);

interface OperationWithBody {
  readonly operation: OpenApiOperation;
  readonly method: Method;
  readonly path: string;
  readonly pointer: string;
  readonly schema: BodySchema;
  readonly example: unknown;
}

let test: TestApp;
let user: ApiUser;
let document: OpenApi;
let schemas: Readonly<Record<string, BodySchema>>;
let operations: readonly OperationWithBody[];
let ids: Readonly<Record<string, string>>;
before(async () => {
  test = await createTestApp({ env: { CONTENT_WEBHOOK_SECRET: SECRET } });
  user = await test.createUser();
  document = (await test.app.inject('/openapi.json')).json<OpenApi>();
  schemas = (document.components as unknown as { schemas: Record<string, BodySchema> }).schemas;
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => toOperationWithBody(path, method, operation)),
  );
  const folder = await user.request<{ id: string }>('POST', '/folders', { name: 'F' });
  const team = await user.request<{ id: string }>('POST', '/teams', { name: 'T' });
  const key = await user.request<{ id: string }>('POST', '/keys', {
    name: 'K',
    scopes: ['workflows:read'],
  });
  const run = await startRun();
  ids = { folders: folder.body.id, teams: team.body.id, keys: key.body.id, executions: run };
});
after(() => test.close());

async function startRun(): Promise<string> {
  const { id } = await createWorkflow(user, {});
  return (await user.request<{ executionId: string }>('POST', `/workflows/${id}/run`, {})).body.executionId;
}

function toOperationWithBody(path: string, method: string, operation: OpenApiOperation): OperationWithBody[] {
  const json = operation.requestBody?.content['application/json'] as
    | { readonly schema?: BodySchema; readonly examples?: Readonly<Record<string, { value: unknown }>> }
    | undefined;
  if (json?.schema === undefined || SKIPPED.includes(operation.operationId)) return [];
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
async function send(
  { method, path }: OperationWithBody,
  body: unknown,
): Promise<{ status: number; code: string }> {
  const id = path.includes('/workflows/{id}') ? (await createWorkflow(user, {})).id : undefined;
  const url = path.replace(
    /([^/]+)\/\{(\w+)\}/g,
    (_, kind: string, name: string) =>
      `${kind}/${name === 'id' ? ((kind === 'workflows' ? id : ids[kind]) ?? 'none_1') : '999'}`,
  );
  const response = await test.app.inject({
    method,
    url,
    headers: {
      authorization: `Bearer ${path.startsWith('/api/content') ? SECRET : user.key}`,
      'content-type': 'application/json',
    },
    payload: JSON.stringify(body),
  });
  const { code = '' } = response.body === '' ? {} : response.json<{ code?: string }>();
  return { status: response.statusCode, code };
}

const isDefect = ({ status, code }: { status: number; code: string }): boolean =>
  status >= 500 && !DOCUMENTED_500_CODES.has(code);

it('the service accepts every example in the OpenAPI document', async () => {
  const faults: string[] = [];
  for (const candidate of operations) {
    const response = await send(candidate, candidate.example);
    if (isDefect(response) || ['invalid_json', 'invalid_request'].includes(response.code))
      faults.push(`${candidate.operation.operationId}: ${response.status} ${response.code}`);
  }
  assert.ok(operations.length > 30, String(operations.length));
  assert.deepEqual(faults, []);
});

it(`the service rejects generated bodies that violate their schemas (SEED=${SEED})`, async () => {
  const ajv = new Ajv2020(FAST_AJV_OPTIONS);
  ajv.addSchema(document, 'document');
  const faults: string[] = [];
  const counts = { valid: 0, invalid: 0 };
  for (const [index, candidate] of operations.entries()) {
    const random = createSeededRandom(SEED + index);
    const validate = ajv.compile({ $ref: candidate.pointer });
    for (let i = 0; i < BODIES_PER_OPERATION; i++) {
      const validBody = i % 4 === 3 ? candidate.example : generateBody(candidate.schema, schemas, random);
      const body = i % 2 === 0 ? validBody : corrupt(validBody, random);
      // The service may accept null where the body is optional.
      const isValid =
        validate(body) ||
        (body === null && candidate.operation.requestBody?.required === false) ||
        LINT_OPERATIONS.includes(candidate.operation.operationId);
      counts[isValid ? 'valid' : 'invalid']++;
      const response = await send(candidate, body);
      const line = `${candidate.operation.operationId} ${response.status} ${response.code} ${JSON.stringify(body).slice(0, 300)}`;
      if (isDefect(response)) faults.push(`fails: ${line}`);
      if (!isValid && response.status < 300)
        faults.push(`accepts an invalid body (${ajv.errorsText(validate.errors)}): ${line}`);
      if (response.code !== '' && !(response.code in ERROR_CODES)) faults.push(`unknown code: ${line}`);
    }
  }
  const total = operations.length * BODIES_PER_OPERATION;
  assert.ok(counts.valid > total / 4 && counts.invalid > total / 8, JSON.stringify(counts));
  assert.deepEqual(faults, []);
});
