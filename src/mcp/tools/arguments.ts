// Defines arguments that several tools share.
import { Type } from 'typebox';
import { Exact } from '../../services/schema.ts';
import { AnyObject, Id } from '../tool.ts';

const MAX_NODES = 1500;

export const NODES = Type.Array(
  Exact({
    id: Id(),
    nodeType: Id(),
    label: Type.Optional(Type.String({ maxLength: 200 })),
    config: Type.Optional(AnyObject()),
  }),
  { maxItems: MAX_NODES },
);

export const EDGES = Type.Array(Type.String({ maxLength: 600 }), {
  maxItems: MAX_NODES,
  description: '"node.port -> node.port"',
});

export const RUN_INPUTS = Type.Optional(
  AnyObject('By input name or node id: text, number, JSON or list; for media a URL, {url} or {mediaId}'),
);

export const TARGETS = Type.Optional(
  Type.Array(Id(), { minItems: 1, maxItems: 1000, description: 'Only these nodes and what they need' }),
);
