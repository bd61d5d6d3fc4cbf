// Tells the nodes that provide the inputs of a workflow from others.
import type { GraphNode } from './types.ts';

/** Returns whether the node provides an input of the workflow, even of a type that this version does not know. */
export const isInputNode = ({ data }: Pick<GraphNode, 'data'>): boolean => data.nodeType.startsWith('input:');

/** Returns the kind of file that an input node of this type provides, or undefined for other types. */
export function getMediaInputKind(nodeType: string): 'image' | 'video' | 'audio' | undefined {
  const kind = /^input:(image|video|audio)$/.exec(nodeType)?.[1];
  return kind as 'image' | 'video' | 'audio' | undefined;
}
