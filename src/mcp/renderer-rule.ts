// Rejects the one node type that MCP cannot create: its ports come from a template or scene graph, which only REST can
// set.
import { AppError } from '../lib/errors.ts';

const NODE_TYPE = 'video:renderer';

export const RENDERER = {
  nodeType: NODE_TYPE,
  note: 'Cannot be added, connected or changed here: clone a template that contains it (list_templates, clone_template).',
  /** Creates the error to throw; `path` is the location of the node in the arguments. */
  createError(path: string, nodeId?: string): AppError {
    const message = 'cannot be added, connected or changed here';
    return new AppError(
      'field_not_writable',
      `A ${NODE_TYPE} ${message}: clone a template that contains it (list_templates, clone_template), and change the nodes that feed it.`,
      {
        issues: [{ path, ...(nodeId === undefined ? {} : { nodeId }), code: 'field_not_writable', message }],
      },
    );
  },
} as const;
