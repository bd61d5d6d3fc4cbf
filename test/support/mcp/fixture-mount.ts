// Mounts the fixtures of the MCP conformance suite at `/mcp`. Unlike the service, this mount has sessions, because a client
// of the older revision answers the server's requests in separate HTTP requests.
import { randomUUID } from 'node:crypto';
import {
  InMemoryServerEventBus,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { isRecord } from '../../../src/lib/record.ts';
import type { McpMount } from '../../../src/mcp/handler.ts';
import { createMcpHandler } from '../../../src/mcp/handler.ts';
import { toWebRequest, writeResponse } from '../../../src/mcp/web-response.ts';
import type { RunDeps } from '../../../src/runs/deps.ts';
import { createFixtureServer } from './fixture-server.ts';

const isInitialize = async (request: Request, body: unknown): Promise<boolean> =>
  isRecord(body) && body.method === 'initialize' && isLegacyRequest(request, body);

export function createFixtureMount(deps: RunDeps): McpMount {
  const bus = new InMemoryServerEventBus();
  const makeServer = () =>
    createFixtureServer({
      toolsChanged: () => bus.publish({ kind: 'tools_list_changed' }),
      promptsChanged: () => bus.publish({ kind: 'prompts_list_changed' }),
    });
  const modern = createMcpHandler(deps, { makeServer, bus });
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const startSession = async (): Promise<WebStandardStreamableHTTPServerTransport> => {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: id => void sessions.set(id, transport),
    });
    await makeServer().connect(transport);
    return transport;
  };
  return {
    serve: async (req, res, call) => {
      const request = toWebRequest(req, call.signal);
      const existing = sessions.get(String(req.headers['mcp-session-id']));
      const session =
        existing ?? ((await isInitialize(request, call.body)) ? await startSession() : undefined);
      if (session === undefined) return modern.serve(req, res, call);
      return writeResponse(await session.handleRequest(request, { parsedBody: call.body }), res);
    },
    close: async () => {
      for (const session of sessions.values()) await session.close();
      await modern.close();
    },
  };
}
