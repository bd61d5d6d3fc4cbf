// Tests the authorization server with third-party clients: both SDKs, OAuth libraries, mcp-remote, and the conformance
// suite.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import * as v2 from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import * as oauth4webapi from 'oauth4webapi';
import * as openid from 'openid-client';
import { TOOLS } from '../../../src/mcp/tool-table.ts';
import { findFreePort } from '../../support/network/free-port.ts';
import {
  ALL_SCOPES,
  makePkce,
  REDIRECT,
  REGISTRATION,
  sendOverNetwork,
} from '../../support/oauth/clients.ts';
import { type OAuthService, startOAuthService } from '../../support/oauth/service.ts';
import { getPeerProgram, NO_PEERS } from '../../support/peers.ts';
import { endProcess, waitUntil } from '../../support/processes.ts';

let service: OAuthService;
let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'graphwright-clients-'));
  service = await startOAuthService();
});
after(async () => {
  await service.test.close();
  await rm(folder, { recursive: true, force: true });
});

/** Stores the client, tokens and verifier of a connection, like an application on a user's computer. */
class ClientStorage {
  readonly redirectUrl = REDIRECT;
  readonly clientMetadata = REGISTRATION;
  authorizationUrl: URL | undefined;
  #client: never | undefined;
  #tokens: never | undefined;
  #verifier = '';

  clientInformation = () => this.#client;
  saveClientInformation = (client: unknown): void => {
    this.#client = client as never;
  };
  tokens = () => this.#tokens;
  saveTokens = (tokens: unknown): void => {
    this.#tokens = tokens as never;
  };
  redirectToAuthorization = (url: URL): void => {
    this.authorizationUrl = url;
  };
  saveCodeVerifier = (verifier: string): void => {
    this.#verifier = verifier;
  };
  codeVerifier = (): string => this.#verifier;

  /** Simulates an expired access token. */
  expireAccessToken(): void {
    const { refresh_token } = (this.#tokens ?? {}) as { refresh_token?: string };
    this.#tokens = { access_token: 'expired', token_type: 'Bearer', refresh_token } as never;
  }
  forgetRefreshToken(): void {
    this.#tokens = { access_token: this.accessToken, token_type: 'Bearer' } as never;
  }
  get accessToken(): string {
    return (this.#tokens as { access_token?: string } | undefined)?.access_token ?? '';
  }
}

/** Signs in, approves the scopes, and returns the authorization response. */
async function approve(storage: ClientStorage, scopes?: readonly string[]): Promise<URLSearchParams> {
  const url = storage.authorizationUrl ?? assert.fail('The client requested no authorization.');
  storage.authorizationUrl = undefined;
  return (await service.authorize(url, scopes === undefined ? {} : { scopes })).searchParams;
}

const CREATE = {
  name: 'create_workflow',
  arguments: {
    name: 'Card',
    nodes: [{ id: 'a', nodeType: 'input:text', config: { value: 'x' } }],
    edges: [],
  },
};

describe('the MCP SDK version 2', () => {
  for (const revision of ['2025-11-25', '2026-07-28'] as const)
    it(`registers, signs in, requests more scopes and refreshes tokens over ${revision}`, async () => {
      const storage = new ClientStorage();
      const mode = revision === '2025-11-25' ? 'legacy' : { pin: revision };
      const connect = async () => {
        const transport = new v2.StreamableHTTPClientTransport(new URL(service.mcpUrl), {
          authProvider: storage,
        });
        const client = new v2.Client(
          { name: 'agent', version: '1' },
          { versionNegotiation: { mode } as never },
        );
        return { transport, client };
      };
      const first = await connect();
      await assert.rejects(first.client.connect(first.transport));
      assert.ok(
        storage.authorizationUrl?.searchParams.get('scope')?.startsWith(ALL_SCOPES),
        String(storage.authorizationUrl),
      );
      await first.transport.finishAuth(await approve(storage, ['workflows:read']));
      const second = await connect();
      await second.client.connect(second.transport);
      assert.equal((await second.client.listTools()).tools.length, TOOLS.length);
      // The user had not granted the scope of the tool, so the client gets a 403 and requests the scope.
      await assert.rejects(second.client.callTool(CREATE));
      assert.match(storage.authorizationUrl?.searchParams.get('scope') ?? '', /workflows:write/);
      await second.transport.finishAuth(await approve(storage));
      const creation = await second.client.callTool(CREATE);
      assert.ok(!creation.isError, JSON.stringify(creation.content));
      storage.expireAccessToken();
      const list = await second.client.callTool({ name: 'list_workflows', arguments: {} });
      assert.match(JSON.stringify(list.structuredContent), /Card/);
      assert.notEqual(storage.accessToken, 'expired');
      await second.client.close();
    });
});

describe('the MCP SDK version 1', () => {
  it('registers, signs in, requests more scopes and refreshes tokens', async () => {
    const storage = new ClientStorage();
    const connect = () => ({
      transport: new TransportV1(new URL(service.mcpUrl), { authProvider: storage as never }),
      client: new ClientV1({ name: 'agent', version: '1' }),
    });
    const first = connect();
    await assert.rejects(first.client.connect(first.transport as never));
    await first.transport.finishAuth((await approve(storage, ['workflows:read'])).get('code') ?? '');
    const { client, transport } = connect();
    await client.connect(transport as never);
    assert.equal((await client.listTools()).tools.length, TOOLS.length);
    // The client requests more scopes only if it has no refresh token.
    storage.forgetRefreshToken();
    await assert.rejects(client.callTool(CREATE));
    assert.match(storage.authorizationUrl?.searchParams.get('scope') ?? '', /workflows:write/);
    await transport.finishAuth((await approve(storage)).get('code') ?? '');
    const creation = await client.callTool(CREATE);
    assert.ok(creation.isError !== true, JSON.stringify(creation.content));
    storage.expireAccessToken();
    const list = await client.callTool({ name: 'list_workflows', arguments: {} });
    assert.match(JSON.stringify(list.structuredContent), /Card/);
    assert.notEqual(storage.accessToken, 'expired');
    await client.close();
  });
});

describe('openid-client', () => {
  it('registers, signs in, refreshes tokens and revokes them', async () => {
    const options = { algorithm: 'oauth2' as const, execute: [openid.allowInsecureRequests] };
    const config = await openid.dynamicClientRegistration(
      new URL(service.origin),
      REGISTRATION,
      openid.None(),
      options,
    );
    const verifier = openid.randomPKCECodeVerifier();
    const state = openid.randomState();
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: REDIRECT,
      scope: ALL_SCOPES,
      resource: service.mcpUrl,
      state,
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    const tokens = await openid.authorizationCodeGrant(
      config,
      await service.authorize(url),
      { pkceCodeVerifier: verifier, expectedState: state },
      { resource: service.mcpUrl },
    );
    assert.equal(tokens.scope, ALL_SCOPES);
    const newTokens = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '');
    assert.ok(newTokens.access_token);
    await openid.tokenRevocation(config, newTokens.refresh_token ?? '');
    await assert.rejects(openid.refreshTokenGrant(config, newTokens.refresh_token ?? ''), {
      error: 'invalid_grant',
    });
  });
});

describe('oauth4webapi', () => {
  const insecure = { [oauth4webapi.allowInsecureRequests]: true };

  it('discovers the authorization server, registers, signs in and calls the resource', async () => {
    const resource = await oauth4webapi.processResourceDiscoveryResponse(
      new URL(service.mcpUrl),
      await oauth4webapi.resourceDiscoveryRequest(new URL(service.mcpUrl), insecure),
    );
    const issuer = new URL(resource.authorization_servers?.[0] ?? '');
    const server = await oauth4webapi.processDiscoveryResponse(
      issuer,
      await oauth4webapi.discoveryRequest(issuer, { ...insecure, algorithm: 'oauth2' }),
    );
    const client = await oauth4webapi.processDynamicClientRegistrationResponse(
      await oauth4webapi.dynamicClientRegistrationRequest(server, REGISTRATION, insecure),
    );
    const { verifier, challenge } = makePkce();
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: client.client_id,
      redirect_uri: REDIRECT,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      state: 'x',
    });
    const finalUrl = await service.authorize(`${server.authorization_endpoint}?${query}`);
    const params = oauth4webapi.validateAuthResponse(server, client, finalUrl, 'x');
    const tokens = await oauth4webapi.processAuthorizationCodeResponse(
      server,
      client,
      await oauth4webapi.authorizationCodeGrantRequest(
        server,
        client,
        oauth4webapi.None(),
        params,
        REDIRECT,
        verifier,
        insecure,
      ),
    );
    const response = await oauth4webapi.protectedResourceRequest(
      tokens.access_token,
      'POST',
      new URL(service.mcpUrl),
      new Headers({ 'content-type': 'application/json', accept: 'application/json, text/event-stream' }),
      '{"jsonrpc":"2.0","id":1,"method":"ping"}',
      insecure,
    );
    assert.equal(response.status, 200);
  });
});

/** Starts a third-party program. Calls `onLine` with each line of both output streams. */
function start(program: string, args: readonly string[], onLine: (line: string) => void): ChildProcess {
  const child = spawn(process.execPath, [getPeerProgram(program), ...args], {
    env: { ...process.env, MCP_REMOTE_CONFIG_DIR: folder, PATH: folder, BROWSER: 'none' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr])
    if (stream !== null) createInterface({ input: stream }).on('line', onLine);
  return child;
}

/** Returns the authorization URL in a line of output. */
const findAuthorizationUrl = (line: string): string | undefined =>
  /https?:\/\/\S+\/oauth\/authorize\?\S+/.exec(line)?.[0];

describe('mcp-remote', { skip: NO_PEERS }, () => {
  it('registers, signs in and forwards messages over stdio', async () => {
    const lines: string[] = [];
    const port = await findFreePort();
    const child = start('mcp-remote', [service.mcpUrl, String(port)], line => lines.push(line));
    try {
      const initialize = {
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: {
          protocolVersion: '2025-11-25',
          capabilities: {},
          clientInfo: { name: 'agent', version: '1' },
        },
      };
      child.stdin?.write(`${JSON.stringify(initialize)}\n`);
      let url: string | undefined;
      await waitUntil('mcp-remote to print the authorization URL', () => {
        url = lines.map(findAuthorizationUrl).find(found => found !== undefined);
        assert.equal(child.exitCode, null, lines.join('\n'));
        return url !== undefined;
      });
      const finalUrl = String(await service.authorize(url ?? ''));
      await waitUntil('the callback of mcp-remote', () =>
        sendOverNetwork('GET', finalUrl).then(
          ({ status }) => status === 200,
          () => false,
        ),
      );
      child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list' })}\n`);
      await waitUntil('the list of tools', () => lines.some(line => line.includes('"find_nodes"')));
    } finally {
      await endProcess(child);
    }
  });
});

describe('the MCP conformance suite', { skip: NO_PEERS }, () => {
  it('reports that the authorization server passes all scenarios', async () => {
    const port = await findFreePort();
    const clientId = await service.client.newClient({ redirect_uris: [`http://127.0.0.1:${port}/callback`] });
    const lines: string[] = [];
    let isAuthorized = false;
    // The id is not a separate argument, because -V at its start would be read as the version flag.
    const args = ['authorization', '--url', service.origin, `--client-id=${clientId}`];
    const resourceArgs = ['--resource', service.mcpUrl, '-p', String(port)];
    const child = start('conformance', [...args, ...resourceArgs], line => {
      lines.push(line);
      const url = findAuthorizationUrl(line);
      if (url === undefined || isAuthorized) return;
      isAuthorized = true;
      void service.authorize(url).then(end => sendOverNetwork('GET', String(end)));
    });
    // Unlike `exit`, `close` comes after the last line.
    const [code] = await once(child, 'close');
    const text = lines.join('\n');
    assert.equal(code, 0, text);
    assert.ok(isAuthorized, text);
    assert.match(text, /Total: 3 passed, 0 failed/);
    assert.doesNotMatch(text, /[1-9]\d* failed|✗|SKIPPED/i, text);
  });
});
