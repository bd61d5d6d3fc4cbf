// Maps node categories and port types to their colors. The colors themselves are in canvas.module.css.
import { isComponentCall } from '../../src/graph/components/calls.ts';
import { CATEGORIES, PORT_TYPES } from '../../src/graph/types.ts';
import type { FlowNodeData } from './card-cache.ts';

/** The categories that have a color in the style sheet. */
export const KNOWN_CATEGORIES: ReadonlySet<string> = new Set([...CATEGORIES, 'video', 'component']);
const KNOWN_TYPES: ReadonlySet<string> = new Set(PORT_TYPES);

export function getCategory({ entry, node }: Pick<FlowNodeData, 'entry' | 'node'>): string {
  if (isComponentCall(node)) return 'component';
  const category = entry?.category ?? node.data.category;
  return KNOWN_CATEGORIES.has(category) ? category : 'utility';
}

/** Returns the type's name in the style sheet. */
export const toTypeName = (type: string): string => (KNOWN_TYPES.has(type) ? type : 'ANY').toLowerCase();

export const toTypeColor = (type: string): string => `var(--type-${toTypeName(type)})`;
