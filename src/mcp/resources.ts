// Lists the resources that agents can read by URI, using the functions behind the REST API.
import { describeUnknownType } from '../graph/nearest.ts';
import { AppError } from '../lib/errors.ts';
import { stringifyJson } from '../lib/json-text.ts';
import { readExecution } from '../runs/read/executions.ts';
import type { Scope } from '../services/accounts/actor.ts';
import { listMedia } from '../services/media/list-media.ts';
import { readWorkflow } from '../services/workflows/read-workflow.ts';
import { GUIDE } from './guide.ts';
import type { ToolContext } from './tool.ts';

export interface Resource {
  readonly name: string;
  /** A URI, or a URI template with one variable. */
  readonly uri: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
  readonly scope: Scope;
  /** Returns the text. `id` is the value of the variable. */
  readonly read: (ctx: Pick<ToolContext, 'deps' | 'actor'>, id: string) => string | Promise<string>;
}

const JSON_TYPE = 'application/json';

export const RESOURCES: readonly Resource[] = [
  {
    name: 'guide',
    uri: 'graphwright://guide',
    title: 'Guide for agents',
    description: 'How to create, change and run workflows',
    mimeType: 'text/markdown',
    scope: 'workflows:read',
    read: () => GUIDE,
  },
  {
    name: 'node',
    uri: 'graphwright://nodes/{+id}',
    title: 'Node type',
    description: 'The complete catalog entry of a node type',
    mimeType: JSON_TYPE,
    scope: 'workflows:read',
    read: ({ deps }, id) => {
      const entry = deps.catalog.find(decodeURIComponent(id));
      if (entry === undefined)
        throw new AppError('not_found', describeUnknownType(decodeURIComponent(id), deps.catalog));
      return JSON.stringify(entry);
    },
  },
  {
    name: 'workflow',
    uri: 'graphwright://workflows/{id}',
    title: 'Workflow',
    description: 'A workflow as returned by REST',
    mimeType: JSON_TYPE,
    scope: 'workflows:read',
    read: async ({ deps, actor }, id) => (await readWorkflow(deps, actor, id)).text,
  },
  {
    name: 'execution',
    uri: 'graphwright://executions/{id}',
    title: 'Execution',
    description: 'A run with its nodes, inputs and outputs',
    mimeType: JSON_TYPE,
    scope: 'workflows:read',
    read: async ({ deps, actor }, id) => stringifyJson(await readExecution(deps, actor, id)),
  },
  {
    name: 'media',
    uri: 'graphwright://media',
    title: 'Media',
    description: 'The newest 50 files of the active workspace',
    mimeType: JSON_TYPE,
    scope: 'workflows:write',
    read: async ({ deps, actor }) => JSON.stringify(await listMedia(deps, actor, {})),
  },
];
