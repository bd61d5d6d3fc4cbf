// Checks that the service loads the libraries for MCP and OAuth only when a client needs them, which saves memory.
import assert from 'node:assert/strict';
import { registerHooks } from 'node:module';
import { it } from 'node:test';

const LIBRARY = /node_modules\/(@modelcontextprotocol|oidc-provider|koa|zod)\//;

const loadedLibraries = new Set<string>();
registerHooks({
  resolve: (specifier, context, next) => {
    const resolved = next(specifier, context);
    const library = LIBRARY.exec(resolved.url)?.[1];
    if (library !== undefined) loadedLibraries.add(library);
    return resolved;
  },
});

it('the service loads the libraries for MCP and OAuth with the first request that needs them', async () => {
  const { createOAuthApp } = await import('../support/oauth/app.ts');
  const { test, client, ping } = await createOAuthApp();
  try {
    assert.equal((await test.app.inject('/readyz')).statusCode, 200);
    assert.equal((await test.app.inject('/.well-known/oauth-authorization-server')).statusCode, 200);
    assert.equal(loadedLibraries.size, 0);
    await client.newClient();
    assert.ok(loadedLibraries.has('oidc-provider'));
    assert.ok(!loadedLibraries.has('@modelcontextprotocol'));
    const { key } = await test.createUser();
    assert.equal(await ping(key), 200);
    assert.ok(loadedLibraries.has('@modelcontextprotocol'));
  } finally {
    await test.close();
  }
});
