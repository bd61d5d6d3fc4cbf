// Mounts `/mcp`, which serves both protocol revisions from one table of tools.
import type { RunDeps } from '../runs/deps.ts';
import type { McpMount } from './tool-context.ts';

/**
 * Creates the mount of a process. The protocol library is loaded with the first request, since most processes receive
 * none.
 */
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
