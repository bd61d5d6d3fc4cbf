// Creates the node catalog in the browser: the entries that the service lists, and ports derived from a node's config.
import type { Catalog, CatalogEntry, InputDef, OutputDef, ResolvedPorts } from '../../src/graph/catalog.ts';
import {
  getBuiltKeys,
  getCallPorts,
  getCodePorts,
  getExtractedPaths,
  getSwitchCases,
  getTemplateTokens,
  relaxForServer,
} from '../../src/graph/config-ports.ts';
import type { GraphNode, JsonObject, PortType } from '../../src/graph/types.ts';

const NO_PORTS: ResolvedPorts = { inputs: [], outputs: [] };
const NO_CONFIG: JsonObject = {};

/** Creates the catalog. `entries` is the response of GET /nodes, including hidden entries. */
export function createCatalog(entries: readonly CatalogEntry[]): Catalog {
  const byType = new Map(entries.map(entry => [entry.nodeType, entry]));
  const portsByType = new Map<string, WeakMap<JsonObject, ResolvedPorts>>();
  const resolve = (entry: CatalogEntry, config: JsonObject): ResolvedPorts => {
    const declared = { inputs: entry.inputs, outputs: entry.outputs };
    const resolveDynamic = DYNAMIC_PORTS[entry.nodeType];
    if (resolveDynamic === undefined)
      return entry.inputs.some(({ id }) => id === 'server')
        ? { ...declared, inputs: relaxForServer(entry.inputs, config) }
        : declared;
    const { inputs, outputs } = resolveDynamic(config, declared);
    const ids = new Set(inputs.map(({ id }) => id));
    const fields = entry.inputs.filter(({ id, isPort }) => !isPort && !ids.has(id));
    return { inputs: [...inputs, ...fields], outputs };
  };
  return {
    entries,
    find: nodeType => byType.get(nodeType),
    ports: (nodeType, config) => {
      const entry = byType.get(nodeType);
      if (entry === undefined) return NO_PORTS;
      const cache = portsByType.get(nodeType) ?? new WeakMap<JsonObject, ResolvedPorts>();
      portsByType.set(nodeType, cache);
      const ports = cache.get(config) ?? resolve(entry, config);
      cache.set(config, ports);
      return ports;
    },
  };
}

/**
 * Returns the ports of a node. If the type is unknown, or only the service computes its ports, returns the ports that were
 * saved with the node.
 */
export function getPorts(catalog: Catalog, { data }: GraphNode): ResolvedPorts {
  const ports = catalog.ports(data.nodeType, data.config ?? NO_CONFIG);
  if (catalog.find(data.nodeType) !== undefined && !SERVICE_COMPUTED_PORTS.has(data.nodeType)) return ports;
  const isComputed = SERVICE_COMPUTED_PORTS.has(data.nodeType);
  const inputs = (data.inputs ?? []).map(({ id, label, type }) => ({
    ...toInput(id, label, type as PortType),
    ...(isComputed ? { wiredOnly: true } : {}),
  }));
  const outputs = (data.outputs ?? []).map(({ id, label, type }) => toOutput(id, label, type as PortType));
  return {
    inputs: [...inputs, ...ports.inputs.filter(({ isPort }) => !isPort)],
    outputs: outputs.length > 0 ? outputs : ports.outputs,
  };
}

/** Types whose ports the service writes into the node when the workflow is saved. Only connections set these inputs. */
export const SERVICE_COMPUTED_PORTS: ReadonlySet<string> = new Set([
  'video:renderer',
  'comfyui:workflow',
  'import:unknown',
]);

type ResolveDynamicPorts = (
  config: JsonObject,
  declared: Pick<ResolvedPorts, 'inputs' | 'outputs'>,
) => ResolvedPorts;

/** Node types whose ports depend on the config. */
const DYNAMIC_PORTS: Readonly<Record<string, ResolveDynamicPorts>> = {
  'utility:text_template': (config, { outputs }) => ({
    inputs: getTemplateTokens(config.template).map(name => toInput(name, name, 'TEXT')),
    outputs,
  }),
  'utility:json_extract': (config, { inputs }) => ({
    inputs: inputs.filter(({ isPort }) => isPort),
    outputs: Object.keys(getExtractedPaths(config.paths)).map(name => toOutput(name, name, 'ANY')),
  }),
  'utility:json_build': (config, { outputs }) => ({
    inputs: getBuiltKeys(config.keys).map(name => toInput(name, name, 'ANY')),
    outputs,
  }),
  'utility:code': config => ({
    inputs: getCodePorts(config.inputs).map(({ id, type }) => toInput(id, id, type)),
    outputs: getCodePorts(config.outputs).map(({ id, type }) => toOutput(id, id, type)),
  }),
  'component:call': getCallPorts,
  'logic:switch': (config, { inputs }) => ({
    inputs: inputs.filter(({ isPort }) => isPort),
    outputs: [
      ...getSwitchCases(config.cases as JsonObject | undefined).map(([name]) => toOutput(name, name, 'ANY')),
      toOutput('default', 'Default', 'ANY'),
    ],
  }),
};

const toInput = (id: string, label: string, type: PortType): InputDef => ({ id, label, type, isPort: true });
const toOutput = (id: string, label: string, type: PortType): OutputDef => ({
  id,
  label,
  type,
  isPort: true,
});
