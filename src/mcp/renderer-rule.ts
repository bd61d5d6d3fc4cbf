// The one node type that cannot be made here: its ports come with a template or a scene graph, which REST alone can set.
import { AppError } from '../lib/errors.ts';

const NODE_TYPE = 'video:renderer';

export const RENDERER = {
  nodeType: NODE_TYPE,
  note: 'Cannot be added, wired or set here: clone a template that contains it (list_templates, clone_template).',
  /** Throws nothing: gives what is to be thrown. */
  refusal(path: string, nodeId?: string): AppError {
    const message = `${NODE_TYPE} cannot be added, wired or set here: clone a template that contains it (list_templates, clone_template), and change what feeds it`;
    return new AppError('field_not_writable', `${message}.`, {
      issues: [{ path, ...(nodeId === undefined ? {} : { nodeId }), code: 'field_not_writable', message }],
    });
  },
} as const;
