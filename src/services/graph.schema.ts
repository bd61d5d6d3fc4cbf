// Defines schemas of nodes and edges for documentation. graph/parse and graph/lint validate graphs, with better
// messages than a schema.
import { type TProperties, Type } from 'typebox';
import { CATEGORIES } from '../graph/types.ts';
import { Named } from './schema.ts';

/** Defines a named object that allows other members, which are stored as sent. */
const OpenObject = <P extends TProperties>(title: string, description: string, properties: P) =>
  Type.Object(properties, { additionalProperties: true, title, description });

const Port = Named('Port', 'A port of a node that edges connect to', {
  id: Type.String({ description: 'Edges refer to it as `in-<id>` or `out-<id>`' }),
  // The service stores these two as sent and does not read them.
  label: Type.Optional(Type.Unknown({ description: 'Display name' })),
  type: Type.Optional(
    Type.Unknown({ description: '`TEXT`, `NUMBER`, `JSON`, `IMAGE`, `VIDEO`, `AUDIO`, `LIST` or `ANY`' }),
  ),
});

const Position = Named('Position', 'The position of a node on the board', {
  x: Type.Number(),
  y: Type.Number(),
});

const LABEL = Type.String({ description: 'Display name' });
const CATEGORY = Type.Enum(CATEGORIES);
const NODE_DATA = {
  nodeType: Type.String({ description: 'Node type of the catalog, such as `utility:text_template`' }),
  config: Type.Optional(Type.Object({}, { additionalProperties: true, description: 'Settings of the node' })),
  params: Type.Optional(
    Type.Object({}, { additionalProperties: true, description: 'Legacy settings; use `config`' }),
  ),
  inputs: Type.Optional(Type.Array(Port)),
  outputs: Type.Optional(Type.Array(Port)),
  bypassed: Type.Optional(
    Type.Boolean({
      description:
        'Whether runs skip the node. Each output then passes on the value of the first connected input of the same type, or else of the first that fits',
    }),
  ),
};

const NodeData = OpenObject('NodeData', 'The type and settings of a node', {
  label: LABEL,
  category: CATEGORY,
  ...NODE_DATA,
});

/** The catalog provides the values of absent fields. */
const NodeDataInput = OpenObject('NodeDataInput', 'The type and settings of a node, as sent', {
  label: Type.Optional(Type.String({ description: 'Display name; default: the label of the catalog entry' })),
  category: Type.Optional(
    Type.Enum(CATEGORIES, { description: 'Default: the category of the catalog entry' }),
  ),
  ...NODE_DATA,
});

const NODE = {
  id: Type.String({ description: 'Unique in the workflow' }),
  type: Type.String({ description: '`basedNode`, or the `customNodeType` of the catalog entry' }),
};

/** A node in a request. A node that a PUT adds may omit its position. */
export const NodeInput = OpenObject('NodeInput', 'A node, as sent', {
  ...NODE,
  data: NodeDataInput,
  position: Type.Optional(Position),
});

/** A node in a response. */
export const Node = OpenObject('Node', 'One step of a graph', {
  ...NODE,
  data: NodeData,
  position: Position,
  dims: Type.Optional(
    Named('NodeDims', 'The size of a node, and how it was determined', {
      width: Type.Number(),
      height: Type.Number(),
      source: Type.Enum(['measured', 'declared', 'estimated']),
    }),
  ),
});

const EDGE = {
  source: Type.String({ description: 'ID of the source node' }),
  target: Type.String({ description: 'ID of the target node' }),
  sourceHandle: Type.Optional(Type.Union([Type.String(), Type.Null()], { description: '`out-<port id>`' })),
  targetHandle: Type.Optional(Type.Union([Type.String(), Type.Null()], { description: '`in-<port id>`' })),
};

export const Edge = OpenObject('Edge', 'A connection that passes a value from one node to another', {
  id: Type.String({ description: 'Unique in the workflow' }),
  ...EDGE,
});

export const EdgeInput = OpenObject('EdgeInput', 'An edge, as sent', {
  id: Type.Optional(
    Type.String({
      description:
        'Unique in the workflow; default: made of its two ports, such as `idea.text->picture.prompt`',
    }),
  ),
  ...EDGE,
});
