// Declares the node that keeps a node of an imported file which cannot run here.
import type { ResolvedPorts } from '../graph/catalog.ts';
import { getComponentPorts } from '../graph/config-ports.ts';
import type { JsonObject } from '../graph/types.ts';
import { defineNode, json, type NodeDefinition, NodeError, text } from './define.ts';

const declared = defineNode({
  nodeType: 'import:unknown',
  label: 'Unknown node',
  description: 'Keeps a node of an imported file that cannot run here. Replace it with another node.',
  category: 'utility',
  source: 'non-vendor',
  hidden: true,
  inputs: {},
  config: {
    sourceType: text('Type in the file', { default: '', isInternal: true }),
    original: text('Original', {
      default: '',
      isInternal: true,
      description: 'The node of the file, as JSON text.',
    }),
    inputs: json('Inputs', { default: [], isInternal: true, description: '[{ id, label, type }]' }),
    outputs: json('Outputs', { default: [], isInternal: true, description: '[{ id, label, type }]' }),
  },
  outputs: {},
  dynamicPorts: {
    note: 'The ports that config.inputs and config.outputs list, as the node had them in the file.',
    isSaved: true,
    resolve: () => ({ inputs: {}, outputs: {} }),
  },
  run: values => {
    throw new NodeError('invalid_config', explain(values as JsonObject));
  },
});

/** Resolves the ports itself: a declaration stores ports in an object, but their ids are arbitrary and their order matters. */
export const importedUnknown: NodeDefinition = { ...declared, ports: resolvePorts };

function resolvePorts(config: JsonObject): ResolvedPorts {
  const inputs = getComponentPorts(config.inputs).map(({ id, label, type }) => ({
    id,
    label,
    type,
    isPort: true,
    wiredOnly: true,
  }));
  const ids = new Set(inputs.map(({ id }) => id));
  const fields = declared.entry.inputs.filter(({ id }) => !ids.has(id));
  const outputs = getComponentPorts(config.outputs).map(({ id, label, type }) => ({
    id,
    label,
    type,
    isPort: true,
  }));
  return {
    inputs: [...inputs, ...fields],
    outputs,
    unavailableReason: explain(config),
    unavailableCode: 'invalid_graph',
    isSaved: true,
  };
}

function explain({ sourceType }: JsonObject): string {
  const name = typeof sourceType === 'string' && sourceType !== '' ? `“${sourceType.slice(0, 120)}” ` : '';
  return `The imported node ${name}is not known here. Replace it or remove it before a run.`;
}
