// Refuses the one node type that MCP cannot create: its ports come with a template or scene graph, which only REST can
// set.
import { AppError } from '../lib/errors.ts';

const NODE_TYPE = 'video:renderer';

export const RENDERER = {
  nodeType: NODE_TYPE,
  note: 'Cannot be added, wired or set here: clone a template that contains it (list_templates, clone_template).',
  /** The error to throw; `path` is where the caller named the node. */
  refusal(path: string, nodeId?: string): AppError {
    const message = 'cannot be added, wired or set here';
    return new AppError(
      'field_not_writable',
      `A ${NODE_TYPE} ${message}: clone a template that contains it (list_templates, clone_template), and change what feeds it.`,
      {
        issues: [{ path, ...(nodeId === undefined ? {} : { nodeId }), code: 'field_not_writable', message }],
      },
    );
  },
} as const;
