// Applies the config fields that a run sets to the graph of its version.
import { isModel } from '../../graph/catalog.ts';
import { isComponentCall } from '../../graph/components/calls.ts';
import { toJsonPointer } from '../../graph/issues.ts';
import { describeUnknownType, findNearestName } from '../../graph/nearest.ts';
import { normalizeConfig } from '../../graph/normalize.ts';
import { withSavedPorts } from '../../graph/saved-ports.ts';
import type { GraphNode, Json, JsonObject } from '../../graph/types.ts';
import { MODEL_KEY, withConfig } from '../../graph/with-config.ts';
import { AppError, createFieldError, type Issue } from '../../lib/errors.ts';
import { markInexactNumbers } from '../../lib/exact-numbers.ts';
import type { JsonText } from '../../lib/json-text.ts';
import { isRecord } from '../../lib/record.ts';
import { createVersion, type GraphVersion } from '../../services/workflows/graph-versions.ts';
import { performGraphWork } from '../../services/workflows/graph-work.ts';
import type { RunDeps } from '../deps.ts';
import type { RunConfig } from './run.schema.ts';

type CatalogDeps = Pick<RunDeps, 'catalog'>;

/** Returns the version with the config applied. Config of nodes that the version does not have is ignored. */
export function configureVersion(
  { catalog }: CatalogDeps,
  version: GraphVersion,
  config: JsonText<RunConfig> | undefined,
): GraphVersion {
  if (config === undefined) return version;
  const configuredGraph = withConfig(version.graph, config.value, catalog);
  const graph = withSavedPorts(normalizeConfig(configuredGraph, catalog).graph, catalog);
  return createVersion({ graph, characters: version.characters + config.text.length }, catalog);
}

/**
 * Checks the config like a change of the graph. Throws 400 `invalid_request` for an unknown node or field, an invalid
 * value, and a field whose value comes from a connection.
 */
export async function requireValidConfig(
  deps: Pick<RunDeps, 'catalog' | 'settings'>,
  version: GraphVersion,
  config: JsonText<RunConfig> | undefined,
): Promise<void> {
  if (config === undefined) return;
  const configText = `{"config":${config.text}}`;
  if (markInexactNumbers(configText) !== configText)
    throw new AppError(
      'invalid_request',
      'config has a number that cannot be stored exactly. Send it as a string, or with fewer digits.',
    );
  const { graph } = version;
  const plan = version.plan();
  const planNodes = new Map(plan.ok ? plan.plan.nodes.map(node => [node.id, node]) : []);
  const issues: Issue[] = [];
  for (const [nodeId, fields] of Object.entries(config.value)) {
    if (!isRecord(fields)) throw createFieldError(toJsonPointer('config', nodeId), 'must be an object');
    const node = graph.nodes.find(({ id }) => id === nodeId);
    if (node === undefined) {
      const nearest = findNearestName(
        nodeId,
        graph.nodes.map(({ id }) => id),
      );
      const hint = nearest === undefined ? '' : ` Did you mean ${JSON.stringify(nearest)}?`;
      const message = `The workflow has no node ${JSON.stringify(nodeId)}.${hint}`;
      issues.push({ path: toJsonPointer('config', nodeId), nodeId, code: 'invalid_request', message });
      continue;
    }
    issues.push(...findFixedFields(node, fields));
    const model = fields[MODEL_KEY];
    if (model !== undefined) {
      const message = findModelProblem(deps, node, model);
      const path = toJsonPointer('config', nodeId, MODEL_KEY);
      if (message !== undefined) {
        issues.push({ path, nodeId, code: 'invalid_request', message });
        continue;
      }
    }
    const nodeType = typeof model === 'string' ? model : node.data.nodeType;
    const settings = { ...node.data.config, ...node.data.params, ...fields };
    const knownInputs = deps.catalog.ports(nodeType, settings).inputs.filter(input => !input.wiredOnly);
    const connectedFields = new Set(planNodes.get(nodeId)?.inputs.map(({ port }) => port));
    for (const name of Object.keys(fields)) {
      if (name === MODEL_KEY) continue;
      const location = { path: toJsonPointer('config', nodeId, name), nodeId, code: 'invalid_request' };
      if (!knownInputs.some(({ id }) => id === name)) {
        const names = knownInputs.map(({ id }) => id);
        const nearest = findNearestName(name, names);
        const hint =
          nearest === undefined
            ? `Its fields are ${names.join(', ')}.`
            : `Did you mean ${JSON.stringify(nearest)}?`;
        issues.push({
          ...location,
          message: `${node.data.label} has no config field ${JSON.stringify(name)}. ${hint}`,
        });
      } else if (connectedFields.has(name))
        issues.push({
          ...location,
          message: `${node.data.label} gets ${JSON.stringify(name)} from a connection, so setting it has no effect. Vary the node that feeds it.`,
        });
    }
  }
  if (issues.length === 0) issues.push(...(await findInvalidValues(deps, version, config.value)));
  if (issues[0] !== undefined) throw new AppError('invalid_request', issues[0].message, { issues });
}

/** Returns why the node cannot use the model for a run. A model can replace only a model with the same kind of result. */
function findModelProblem(
  { catalog }: CatalogDeps,
  { data }: GraphNode,
  model: Json | undefined,
): string | undefined {
  if (typeof model !== 'string') return 'nodeType must be the node type of a model.';
  const [before, after] = [catalog.find(data.nodeType), catalog.find(model)];
  if (before === undefined || !isModel(before))
    return `${data.label} is no model, so a run cannot give it another node type.`;
  if (after === undefined) return describeUnknownType(model, catalog);
  const isReplacement = isModel(after) && after.deprecated !== true;
  if (isReplacement && after.outputs[0]?.type === before.outputs[0]?.type) return undefined;
  return `${JSON.stringify(model)} cannot replace ${data.nodeType}: it is no model with the same kind of result.`;
}

/** Finds fields of a component call that a run must not set, because the component was checked when the call was saved. */
function findFixedFields(node: GraphNode, fields: JsonObject): readonly Issue[] {
  if (!isComponentCall(node)) return [];
  return Object.keys(fields)
    .filter(name => name !== 'values')
    .map(name => ({
      path: toJsonPointer('config', node.id, name),
      nodeId: node.id,
      code: 'invalid_request',
      message: `${node.data.label} calls a component, so a run only sets values, not ${JSON.stringify(name)}. Change the workflow instead.`,
    }));
}

/** Finds values that lint reports. Warnings count too, because a graph with warnings can be stored but its run would fail. */
async function findInvalidValues(
  deps: Pick<RunDeps, 'catalog' | 'settings'>,
  version: GraphVersion,
  config: RunConfig,
): Promise<readonly Issue[]> {
  const { graph } = version;
  const lintIssues = await performGraphWork<'config'>(deps, {
    kind: 'config',
    stored: version,
    config,
  });
  const configPaths = new Map(
    graph.nodes.flatMap(({ id }, index) =>
      Object.keys(config[id] ?? {}).map(field => [
        toJsonPointer('nodes', index, 'data', 'config', field),
        toJsonPointer('config', id, field),
      ]),
    ),
  );
  return lintIssues.flatMap(({ path: graphPath = '', nodeId, severity, message }) => {
    const path = configPaths.get(graphPath);
    if (path === undefined && severity !== 'error') return [];
    return [
      {
        path: path ?? '/config',
        ...(nodeId === undefined ? {} : { nodeId }),
        code: 'invalid_request',
        message,
      },
    ];
  });
}
