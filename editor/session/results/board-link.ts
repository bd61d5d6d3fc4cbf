// Writes and reads links that open a result's workflow and continue there with the result.

/** What only an open workflow can do with a result. */
export const BOARD_ACTIONS = ['use', 'vary', 'keepSeed', 'upscale', 'compare'] as const;
export type BoardAction = (typeof BOARD_ACTIONS)[number];

/** A result of a run: the file, or else the node that made it. */
export interface LinkedResult {
  readonly executionId: string;
  readonly nodeId?: string | undefined;
  readonly url?: string | undefined;
}

export interface BoardLink {
  readonly action: BoardAction;
  readonly result: LinkedResult;
}

const NAMES = { action: 'then', executionId: 'run', nodeId: 'node', url: 'file' } as const;

export function toBoardHref(workflowId: string, { action, result }: BoardLink): string {
  const { executionId, nodeId, url } = result;
  const query = new URLSearchParams({
    [NAMES.action]: action,
    [NAMES.executionId]: executionId,
    ...(nodeId !== undefined && { [NAMES.nodeId]: nodeId }),
    ...(url !== undefined && { [NAMES.url]: url }),
  });
  return `/flow/${workflowId}?${query}`;
}

/** Reads the link from a query string, and returns the query string without it. */
export function parseBoardLink(
  search: string,
): { readonly link: BoardLink; readonly search: string } | undefined {
  const query = new URLSearchParams(search);
  const action = BOARD_ACTIONS.find(each => each === query.get(NAMES.action));
  const executionId = query.get(NAMES.executionId);
  if (action === undefined || executionId === null) return undefined;
  const [nodeId, url] = [query.get(NAMES.nodeId) ?? undefined, query.get(NAMES.url) ?? undefined];
  for (const name of Object.values(NAMES)) query.delete(name);
  const rest = query.toString();
  return { link: { action, result: { executionId, nodeId, url } }, search: rest === '' ? '' : `?${rest}` };
}
