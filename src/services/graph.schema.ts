// Schemas of nodes and edges, for documentation: graph/parse and graph/lint validate, with better messages than a
// schema.
import { type TProperties, Type } from 'typebox';
import { CATEGORIES } from '../graph/types.ts';
import { Named } from './schema.ts';

/** A named object that allows other members: they are stored as sent. */
const Open = <P extends TProperties>(title: string, description: string, properties: P) =>
  Type.Object(properties, { additionalProperties: true, title, description });

const Port = Named('Port', 'Where an edge can end', {
  id: Type.String({ description: 'Edges refer to it as `in-<id>` or `out-<id>`' }),
  // Stored as sent: nothing reads them.
  label: Type.Optional(Type.Unknown({ description: 'Display name' })),
  type: Type.Optional(
    Type.Unknown({ description: '`TEXT`, `NUMBER`, `JSON`, `IMAGE`, `VIDEO`, `AUDIO`, `LIST` or `ANY`' }),
  ),
});

const Position = Named('Position', 'Where a node is on the board', { x: Type.Number(), y: Type.Number() });

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
};

const NodeData = Open('NodeData', 'What a node is and how it is set', {
  label: LABEL,
  category: CATEGORY,
  ...NODE_DATA,
});

/** The catalog fills in what is absent. */
const NodeDataInput = Open('NodeDataInput', 'What a node is and how it is set, as it is sent', {
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

/** A node as it is sent: one that a PUT adds may omit its position. */
export const NodeInput = Open('NodeInput', 'A node as it is sent', {
  ...NODE,
  data: NodeDataInput,
  position: Type.Optional(Position),
});

/** A node as it is read. */
export const Node = Open('Node', 'One step of a graph', {
  ...NODE,
  data: NodeData,
  position: Position,
  dims: Type.Optional(
    Named('NodeDims', 'The size of the box, and how it is known', {
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

export const Edge = Open('Edge', 'What carries a value from one node to another', {
  id: Type.String({ description: 'Unique in the workflow' }),
  ...EDGE,
});

export const EdgeInput = Open('EdgeInput', 'An edge as it is sent', {
  id: Type.Optional(
    Type.String({
      description:
        'Unique in the workflow; default: made of its two ports, such as `idea.text->picture.prompt`',
    }),
  ),
  ...EDGE,
});
