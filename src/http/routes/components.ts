// Registers the routes for using a workflow as a component: its ports, and the workflows that call it.
import {
  CallerPage,
  Interface,
  InterfaceQuery,
  UpdateCallersBody,
  UpdatedCallers,
} from '../../services/components/component.schema.ts';
import { listCallerPage } from '../../services/components/list-callers.ts';
import { readComponentInterface } from '../../services/components/read-interface.ts';
import { updateCallers } from '../../services/components/update-callers.ts';
import type { Deps } from '../../services/deps.ts';
import { PageQuery } from '../../services/paging.ts';
import { WorkflowParams } from '../../services/workflows/workflow.schema.ts';
import type { Server } from '../deps.ts';
import { createDescriber } from '../route.ts';

const operation = createDescriber('Components');
const params = WorkflowParams;

export function registerComponents(server: Server, deps: Deps): void {
  server.get(
    '/api/v1/workflows/:id/interface',
    operation('getInterface', 'workflows:read', {
      summary: 'Read the ports that a workflow has as a component',
      description:
        'Returns an input for each input node without an incoming edge, and an output for each preview and gallery node.',
      params,
      querystring: InterfaceQuery,
      response: { 200: Interface },
    }),
    req => readComponentInterface(deps, req.actor, req.params.id, req.query.version),
  );
  server.get(
    '/api/v1/workflows/:id/callers',
    operation('listCallers', 'workflows:read', {
      summary: 'List the workflows that call a component',
      description:
        'Returns the workflows whose current version calls this one, with an entry for each called version. `hidden` is the number of callers that you cannot read.',
      params,
      querystring: PageQuery,
      response: { 200: CallerPage },
    }),
    req => listCallerPage(deps, req.actor, req.params.id, req.query),
  );
  server.post(
    '/api/v1/workflows/:id/callers/update',
    operation('updateCallers', 'workflows:write', {
      summary: 'Update the workflows that call a component',
      description:
        'Moves every call of this component to `version`, in all workflows that you may edit. Each changed workflow gets a new version. A workflow with an edge at a port that `version` does not have is refused and not changed. With `dryRun`, nothing is stored. At most 100 workflows are updated at a time: send `nextCursor` to continue.',
      params,
      body: UpdateCallersBody,
      response: { 200: UpdatedCallers },
    }),
    (req, reply) =>
      updateCallers(deps, req.actor, req.params.id, { body: req.body, signal: reply.closeSignal() }),
  );
}
