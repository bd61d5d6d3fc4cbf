// What `/mcp` answers: the protocol's two revisions over one table of tools, loaded with the first request.
import type { RunDeps } from '../runs/deps.ts';
import type { McpMount } from './caller.ts';

/** The mount of a process. The protocol's library is loaded with the first request: most processes never see one. */
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
