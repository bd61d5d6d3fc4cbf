// Mounts `/mcp`, and loads the protocol library with the first request, because most processes receive none.
import type { RunDeps } from '../runs/deps.ts';
import type { McpMount } from './handler.ts';

export function createMcpMount(deps: RunDeps): McpMount {
  let loading: Promise<McpMount> | undefined;
  const load = (): Promise<McpMount> => {
    loading ??= import('./handler.ts').then(({ createMcpHandler }) => createMcpHandler(deps));
    return loading;
  };
  return {
    serve: async (req, res, call) => (await load()).serve(req, res, call),
    close: async () => (await loading)?.close(),
  };
}
