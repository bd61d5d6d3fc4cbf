// The OpenAPI document is valid and tells of every route; the reference shows it without the internet.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { ERROR_CODES } from '../../../src/lib/errors.ts';
import { createTestApp, type TestApp } from '../../support/app.ts';

interface Operation {
  readonly operationId: string;
  readonly summary?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly object[];
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly responses: Readonly<
    Record<
      string,
      { readonly $ref?: string; readonly content?: Readonly<Record<string, { readonly schema?: object }>> }
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
            readonly 'application/json': { readonly schema: { readonly properties: object } };
          };
        };
      };
    };
  };
  readonly components: {
    readonly schemas: {
      readonly Error: { readonly properties: { readonly code: { readonly enum: string[] } } };
    };
    readonly responses: Readonly<Record<string, object>>;
    readonly securitySchemes: object;
  };
}

let test: TestApp;
let text: string;
let document: Document;
before(async () => {
  test = await createTestApp();
  text = (await test.app.inject('/openapi.json')).body;
  document = JSON.parse(text) as Document;
});
after(() => test.close());

const ROUTES = join(import.meta.dirname, '../../../src/http/routes');

/** The paths of the API as the routes' source has them, in the document's form. */
function listPaths(): string[] {
  const sources = readdirSync(ROUTES).map(name => readFileSync(join(ROUTES, name), 'utf8'));
  return sources
    .flatMap(source =>
      [...source.matchAll(/^\s*(?:app\.\w+\()?'(\/api\/\S+)',$/gm)].map(match => match[1] ?? ''),
    )
    .map(path => path.replaceAll(/:(\w+)/g, '{$1}'));
}

const operations = (): [string, Operation][] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [
      `${method} ${path}`,
      operation,
    ]),
  );

describe('GET /openapi.json', () => {
  it('is a valid document of OpenAPI 3.1', async () => {
    const validator = new Validator();
    const result = await validator.validate(JSON.parse(text));
    assert.deepEqual(result.errors ?? [], []);
    assert.equal(result.valid, true);
    assert.match(document.openapi, /^3\.1\./);
  });

  it('has an id of its own, a summary and a tag for each operation', () => {
    const ids = new Set<string>();
    for (const [name, { operationId, summary, tags }] of operations()) {
      assert.match(operationId, /^[a-z]+[A-Za-z0-9]*$/, name);
      assert.ok(!ids.has(operationId), `${operationId} twice`);
      ids.add(operationId);
      assert.ok((summary?.length ?? 0) > 5, name);
      assert.equal(tags?.length, 1, name);
    }
    assert.ok(ids.size > 40);
  });

  it('has every code of the error table, and a response for each of its statuses', () => {
    assert.deepEqual(document.components.schemas.Error.properties.code.enum, Object.keys(ERROR_CODES));
    for (const [status] of Object.values(ERROR_CODES))
      assert.ok(document.components.responses[`Error${status}`], String(status));
  });

  it('names the refusals of each operation by references that lead somewhere', () => {
    for (const [name, { responses, security, parameters }] of operations()) {
      assert.ok(responses['429'] && responses['500'], name);
      if (security?.length !== 0) assert.ok(responses['401'], name);
      if (parameters?.some(parameter => parameter.in === 'path')) assert.ok(responses['404'], name);
      for (const { $ref } of Object.values(responses))
        if ($ref !== undefined) assert.ok(document.components.responses[$ref.split('/').at(-1) ?? ''], $ref);
    }
  });

  it('tells the form of what each operation answers with', () => {
    for (const [name, { responses }] of operations()) {
      const good = Object.entries(responses).filter(([status]) => /^2/.test(status));
      assert.ok(good.length > 0, name);
      for (const [status, { content }] of good)
        if (status !== '204') assert.ok(Object.values(content ?? {})[0]?.schema, `${name} ${status}`);
    }
  });

  it('tells what is sent when a run has ended', () => {
    const { requestBody } = document.webhooks.executionEnded.post;
    const { properties } = requestBody.content['application/json'].schema;
    for (const member of ['event', 'eventId', 'executionId', 'status', 'nodeStates', 'createdAt'])
      assert.ok(member in properties, member);
  });

  it('declares each parameter of a path', () => {
    for (const [name, { parameters = [] }] of operations()) {
      const declared = parameters
        .filter(parameter => parameter.in === 'path')
        .map(parameter => parameter.name);
      assert.deepEqual(declared.sort(), [...name.matchAll(/\{(\w+)\}/g)].map(match => match[1]).sort(), name);
    }
  });

  it('tells of every route of the API', () => {
    const api = listPaths();
    assert.ok(api.length > 30, String(api.length));
    for (const path of api) assert.ok(document.paths[path], path);
  });

  it('is answered with 304 to who has it', async () => {
    const first = await test.app.inject('/openapi.json');
    const again = await test.app.inject({
      url: '/openapi.json',
      headers: { 'if-none-match': String(first.headers.etag) },
    });
    assert.deepEqual([again.statusCode, again.body], [304, '']);
  });
});

describe('GET /docs', () => {
  it('links to the page that says how the API behaves, and serves it', async () => {
    const { description } = (await test.app.inject('/openapi.json')).json<{ info: { description: string } }>()
      .info;
    assert.match(description, /\]\(\/docs\/api\.md\)/);
    const guide = await test.app.inject('/docs/api.md');
    assert.equal(guide.statusCode, 200);
    assert.match(guide.headers['content-type'] ?? '', /^text\/plain/);
    assert.match(guide.body, /^# The API$/m);
  });

  it('is a page whose every part comes from here, under a policy that lets nothing else in', async () => {
    const page = await test.app.inject({ url: '/docs/' });
    assert.equal(page.statusCode, 200);
    assert.match(String(page.headers['content-security-policy']), /^default-src 'self';/);
    assert.match(page.body, /<title>Graphwright API<\/title>/);
    const parts = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(match => match[1] ?? '');
    assert.ok(parts.length > 3);
    for (const part of parts) {
      const answer = await test.app.inject(new URL(part, 'http://localhost/docs/').pathname);
      assert.equal(answer.statusCode, 200, part);
      assert.ok(part.startsWith('.') || part.startsWith('/'), part);
    }
  });
});
