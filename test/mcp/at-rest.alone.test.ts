// Checks that a service without agents loads none of the MCP libraries, which saves memory.
import assert from 'node:assert/strict';
import { registerHooks } from 'node:module';
import { it } from 'node:test';

const LIBRARY = /node_modules\/(@modelcontextprotocol|oidc-provider|koa|zod)\//;

const loaded = new Set<string>();
registerHooks({
  resolve: (specifier, context, next) => {
    const found = next(specifier, context);
    loaded.add(LIBRARY.exec(found.url)?.[1] ?? '');
    return found;
  },
});

it('loads the libraries of MCP and OAuth with the first request that needs them', async () => {
  const { createOAuthApp } = await import('../support/oauth/app.ts');
  const { test, client, ping } = await createOAuthApp();
  try {
    assert.equal((await test.app.inject('/readyz')).statusCode, 200);
    assert.equal((await test.app.inject('/.well-known/oauth-authorization-server')).statusCode, 200);
    assert.deepEqual([...loaded], ['']);
    await client.newClient();
    assert.ok(loaded.has('oidc-provider'));
    assert.ok(!loaded.has('@modelcontextprotocol'));
    const { key } = await test.createCaller();
    assert.equal(await ping(key), 200);
    assert.ok(loaded.has('@modelcontextprotocol'));
  } finally {
    await test.close();
  }
});
