// Declares the node that calls a component: a workflow that runs as one node of another workflow.
import type { ResolvedPorts } from '../graph/catalog.ts';
import { getCallPorts } from '../graph/config-ports.ts';
import type { JsonObject } from '../graph/types.ts';
import { defineNode, json, type NodeDefinition, text } from './define.ts';

const declared = defineNode({
  nodeType: 'component:call',
  label: 'Component',
  description:
    'Runs another workflow as one node. Each input node of that workflow without an incoming edge is an input port, and each preview or gallery is an output port. Port ids are the ids of these nodes.',
  category: 'logic',
  inputs: {},
  config: {
    workflowId: text('Workflow', { required: true, description: 'The id of the workflow to run.' }),
    version: json('Version', {
      description:
        'The number of the version to run, or "latest". If omitted when the node is added, the service writes the current version.',
    }),
    values: json('Values', {
      default: {},
      description: 'Values of inputs that are not connected, by port id, as in the inputs of a run.',
    }),
    name: text('Name', { default: '', description: 'Written by the service: the name of the workflow.' }),
    inputs: json('Inputs', { default: [], description: 'Written by the service: the input ports.' }),
    outputs: json('Outputs', { default: [], description: 'Written by the service: the output ports.' }),
  },
  outputs: {},
  dynamicPorts: {
    note: 'The ports of the called workflow, which the service writes to config.inputs and config.outputs when the caller is saved. GET /workflows/{id}/interface returns them.',
    resolve: () => ({ inputs: {}, outputs: {} }),
  },
  run: () => {
    throw new Error('A call is replaced by the nodes of its component before the run starts.');
  },
});

/** Resolves the ports itself: a declaration stores ports in an object, but their ids are arbitrary and their order matters. */
export const componentCall: NodeDefinition = { ...declared, ports: resolvePorts };

function resolvePorts(config: JsonObject): ResolvedPorts {
  const { inputs, outputs } = getCallPorts(config);
  const ids = new Set(inputs.map(({ id }) => id));
  // If a port has the id of a field, edges connect to the port.
  return { inputs: [...inputs, ...declared.entry.inputs.filter(({ id }) => !ids.has(id))], outputs };
}
