// Tests that the OpenAPI document is valid and complete.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { ERROR_CODES, type ErrorCode } from '../../../src/lib/errors.ts';
import { createTestApp, type TestApp } from '../../support/app.ts';

interface Operation {
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly object[];
  readonly parameters?: readonly { readonly in?: string; readonly name: string; readonly $ref?: string }[];
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly $ref?: string;
        readonly links?: Readonly<Record<string, object>>;
        readonly content?: Readonly<Record<string, { readonly schema?: object }>>;
      }
    >
  >;
}
interface ErrorResponse {
  readonly content?: Readonly<
    Record<
      string,
      {
        readonly schema?: {
          readonly allOf?: readonly {
            readonly properties: { readonly code: { readonly enum: ErrorCode[] } };
          }[];
        };
      }
    >
  >;
}
interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: {
    readonly executionEnded: {
      readonly post: {
        readonly requestBody: {
          readonly content: {
            readonly 'application/json': { readonly schema: { readonly $ref: string } };
          };
        };
      };
    };
  };
  readonly components: {
    readonly schemas: Readonly<Record<string, object>> & {
      readonly Error: { readonly properties: { readonly code: { readonly enum: string[] } } };
      readonly CompletionEvent: { readonly properties: object };
    };
    readonly responses: Readonly<Record<string, ErrorResponse>>;
    readonly securitySchemes: object;
  };
}

let test: TestApp;
let text: string;
let document: Document;
before(async () => {
  test = await createTestApp({ env: { BASE_URL: 'https://graphwright.test' } });
  text = (await test.app.inject('/openapi.json')).body;
  document = JSON.parse(text) as Document;
});
after(() => test.close());

const SCHEMA_NAMES = [
  'Catalog',
  'CatalogEntry',
  'CompletionEvent',
  'Credits',
  'Delivery',
  'DeliveryPage',
  'Edge',
  'Error',
  'Execution',
  'ExecutionListItem',
  'ExecutionPage',
  'Folder',
  'Key',
  'KeyPage',
  'Me',
  'Media',
  'MediaItemPage',
  'Member',
  'Node',
  'NodeState',
  'Permission',
  'Port',
  'RunEvent',
  'RunRequest',
  'Team',
  'Template',
  'TemplatePage',
  'User',
  'Version',
  'VideoTemplate',
  'Workflow',
  'WorkflowListItem',
  'WrittenPage',
];

const ROUTES = join(import.meta.dirname, '../../../src/http/routes');

/** Reads the paths of the API from the source of the routes. */
function listPaths(): string[] {
  const sources = readdirSync(ROUTES, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .map(name => readFileSync(join(ROUTES, name), 'utf8'));
  return sources
    .flatMap(source =>
      [...source.matchAll(/^\s*(?:server\.\w+\()?'(\/api\/\S+)',$/gm)].map(match => match[1] ?? ''),
    )
    .map(path => path.replaceAll(/:(\w+)/g, '{$1}'));
}

const listOperations = (): [string, Operation][] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [
      `${method} ${path}`,
      operation,
    ]),
  );

describe('GET /openapi.json', () => {
  it('returns a valid OpenAPI 3.1 document', async () => {
    const validator = new Validator();
    const result = await validator.validate(JSON.parse(text));
    assert.deepEqual(result.errors ?? [], []);
    assert.equal(result.valid, true);
    assert.match(document.openapi, /^3\.1\./);
  });

  it('describes each operation with an id, a summary, a description and a tag', () => {
    const ids = new Set<string>();
    for (const [name, { operationId, summary, description, tags }] of listOperations()) {
      assert.match(operationId, /^[a-z]+[A-Za-z0-9]*$/, name);
      assert.ok(!ids.has(operationId), `${operationId} twice`);
      ids.add(operationId);
      assert.ok((summary?.length ?? 0) > 5, name);
      assert.ok((description?.length ?? 0) > 10, name);
      assert.equal(tags?.length, 1, name);
    }
    assert.ok(ids.size > 40);
  });

  it('lists every error code', () => {
    assert.deepEqual(document.components.schemas.Error.properties.code.enum, Object.keys(ERROR_CODES));
  });

  it('describes the error responses and codes of each operation', () => {
    for (const [name, { responses, security, parameters }] of listOperations()) {
      assert.ok(responses['400'] && responses['429'] && responses['500'] && responses['503'], name);
      if (security?.length !== 0) assert.ok(responses['401'], name);
      if (name.includes('/api/v1/') && parameters?.some(parameter => parameter.in === 'path'))
        assert.ok(responses['404'], name);
      for (const [status, { $ref }] of Object.entries(responses)) {
        if (Number(status) < 400) continue;
        const response = document.components.responses[$ref?.split('/').at(-1) ?? ''];
        assert.ok(response, `${name} ${status} ${$ref}`);
        const codes = response.content?.['application/json']?.schema?.allOf?.[1]?.properties.code.enum;
        for (const code of codes ?? []) assert.equal(String(ERROR_CODES[code][0]), status, `${name} ${code}`);
      }
    }
  });

  it('refers to each named schema', () => {
    const names = Object.keys(document.components.schemas);
    for (const name of SCHEMA_NAMES) {
      assert.ok(names.includes(name), name);
      assert.ok(text.includes(`"#/components/schemas/${name}"`), name);
    }
  });

  it('describes the headers that change how a request is processed', () => {
    const listHeaders = (id: string): string[] =>
      (listOperations().find(([, { operationId }]) => operationId === id)?.[1].parameters ?? []).flatMap(
        ({ $ref }) => ($ref === undefined ? [] : [$ref.split('/').at(-1) ?? '']),
      );
    assert.deepEqual(listHeaders('runWorkflow'), ['Idempotency-Key', 'Prefer', 'X-Client']);
    assert.deepEqual(listHeaders('updateWorkflow'), ['If-Match']);
    assert.deepEqual(listHeaders('getWorkflow'), ['If-None-Match']);
    assert.deepEqual(listHeaders('streamExecution'), ['Last-Event-ID']);
  });

  it('links an accepted run to its execution', () => {
    const [, run] = listOperations().find(([, { operationId }]) => operationId === 'runWorkflow') ?? [];
    assert.deepEqual(run?.responses['202']?.links?.execution, {
      operationId: 'getExecution',
      description: 'Read the execution',
      parameters: { id: '$response.body#/executionId' },
    });
  });

  it('distinguishes the events of a run by name', () => {
    const { oneOf, discriminator } = document.components.schemas.RunEvent as unknown as {
      oneOf: { $ref: string }[];
      discriminator: { propertyName: string; mapping: Record<string, string> };
    };
    assert.equal(discriminator.propertyName, 'event');
    assert.deepEqual(
      Object.values(discriminator.mapping),
      oneOf.map(({ $ref }) => $ref),
    );
    assert.deepEqual(Object.keys(discriminator.mapping), ['snapshot', 'node', 'execution', 'progress']);
  });

  it('describes the response body of each operation', () => {
    for (const [name, { responses }] of listOperations()) {
      const nonErrors = Object.entries(responses).filter(([status]) => /^[23]/.test(status));
      assert.ok(nonErrors.length > 0, name);
      for (const [status, { content }] of nonErrors)
        if (/^2/.test(status) && !['204', '206'].includes(status))
          assert.ok(Object.values(content ?? {})[0]?.schema, `${name} ${status}`);
    }
  });

  it('describes the webhook that reports the end of a run', () => {
    const { requestBody } = document.webhooks.executionEnded.post;
    assert.equal(requestBody.content['application/json'].schema.$ref, '#/components/schemas/CompletionEvent');
    const { properties } = document.components.schemas.CompletionEvent;
    for (const member of ['event', 'eventId', 'executionId', 'status', 'nodeStates', 'createdAt'])
      assert.ok(member in properties, member);
  });

  it('declares every path parameter', () => {
    for (const [name, { parameters = [] }] of listOperations()) {
      const names = parameters.filter(parameter => parameter.in === 'path').map(parameter => parameter.name);
      assert.deepEqual(names.sort(), [...name.matchAll(/\{(\w+)\}/g)].map(match => match[1]).sort(), name);
    }
  });

  it('describes every route of the API', () => {
    const routePaths = listPaths();
    assert.ok(routePaths.length > 30, String(routePaths.length));
    for (const path of routePaths) assert.ok(document.paths[path], path);
  });

  it('returns 304 if the ETag matches', async () => {
    const first = await test.app.inject('/openapi.json');
    const second = await test.app.inject({
      url: '/openapi.json',
      headers: { 'if-none-match': String(first.headers.etag) },
    });
    assert.deepEqual([second.statusCode, second.body], [304, '']);
  });
});

describe('GET /docs/api.md', () => {
  it('returns the API guide as text', async () => {
    const guide = await test.app.inject('/docs/api.md');
    assert.equal(guide.statusCode, 200);
    assert.match(guide.headers['content-type'] ?? '', /^text\/plain/);
    assert.match(guide.body, /^# The API$/m);
  });
});
